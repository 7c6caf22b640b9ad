package rest

import (
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Metadata is an object of any kind without the rest of it.
type Metadata struct {
	Kind       string     `json:"kind,omitempty"`
	APIVersion string     `json:"apiVersion,omitempty"`
	Metadata   ObjectMeta `json:"metadata"`
}

// ObjectMeta is the metadata that every object has.
type ObjectMeta struct {
	Name            string            `json:"name,omitempty"`
	GenerateName    string            `json:"generateName,omitempty"`
	Namespace       string            `json:"namespace,omitempty"`
	UID             string            `json:"uid,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	Generation      int64             `json:"generation,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`
	Finalizers      []string          `json:"finalizers,omitempty"`
	OwnerReferences []OwnerReference  `json:"ownerReferences,omitempty"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`
	// DeletionTimestamp is when the object is to be gone; zero while nobody has
	// deleted it.
	DeletionTimestamp          time.Time `json:"deletionTimestamp,omitzero"`
	DeletionGracePeriodSeconds *int64    `json:"deletionGracePeriodSeconds,omitempty"`

	// ManagedFields tell who set which field, as the server writes it.
	ManagedFields jsontext.Value `json:"managedFields,omitempty"`
}

// OwnerReference names an object that owns another one.
type OwnerReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	// Controller tells that the owner is the controller: at most one is.
	Controller *bool `json:"controller,omitempty"`
	// BlockOwnerDeletion keeps an owner that is deleted in the foreground until
	// this object is gone.
	BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty"`
}

// MetadataOnly returns the resource with nothing but metadata: the server is
// asked for no more, by gets, lists, watches, and in the answers of patches. An
// index of names and labels of all pods costs a tenth then.
//
// Kind and apiVersion of the objects are those of the resource, and not
// PartialObjectMetadata, which is what the server calls such answers. A server
// that knows no such answers sends whole objects, of which the rest is skipped.
// An update would lose all else, and is refused: use a patch, or Modify.
func MetadataOnly[T any](r Resource[T]) Resource[Metadata] {
	e := r.endpoint
	e.partial = e.subresource == ""
	return Resource[Metadata]{e}
}

// MetadataOnly tells that the endpoint is one of [MetadataOnly]: what a stream
// finds is called PartialObjectMetadata, and [Metadata.As] renames it.
func (e Endpoint) MetadataOnly() bool { return e.partial }

// accept returns what the answer to a request may be.
func (e *Endpoint) accept(method, name string, query url.Values) string {
	const json = "application/json"
	if !e.partial {
		return json
	}
	kind := "PartialObjectMetadata"
	switch {
	case method == http.MethodPatch:
	case method != http.MethodGet:
		return json
	case name == "" && query.Get("watch") == "":
		kind += "List"
	}
	return json + ";as=" + kind + ";g=meta.k8s.io;v=v1," + json
}

// As gives the answer to a request for metadata the kind of its resource, where
// it has none of its own, or is called PartialObjectMetadata.
func (m *Metadata) As(k Kind) {
	if m.Kind == "PartialObjectMetadata" || m.Kind == "" {
		m.Kind, m.APIVersion = k.Kind, ""
	}
	if m.APIVersion == "" {
		m.APIVersion = k.APIVersion()
	}
}
