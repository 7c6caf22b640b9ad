package rest

// MetadataOnly returns the resource with nothing but metadata: the server is asked for no more, by
// gets, lists, watches, and in the answers to patches. An index of names and labels of all pods then
// costs a tenth.
//
// Kind and apiVersion of the objects are those of the resource, not PartialObjectMetadata, as the
// server calls such answers. A server that does not know such answers sends whole objects, and the
// rest is skipped. An update would lose everything else, and is refused: use a patch, or Modify.
func MetadataOnly[T any](r Resource[T]) Resource[PartialObjectMetadata] {
	e := r.endpoint
	e.partial = e.subresource == ""
	return Resource[PartialObjectMetadata]{e}
}

// partialKind is what servers call an object with nothing but metadata.
const partialKind = "PartialObjectMetadata"

// as gives the answer to a request for metadata the kind of its resource, unless it has another one.
func (m *PartialObjectMetadata) as(k *Kind) {
	if m.Kind == partialKind || m.Kind == "" {
		m.Kind, m.APIVersion = k.Kind, ""
	}
	if m.APIVersion == "" {
		m.APIVersion = k.APIVersion()
	}
}
