package fakeapi

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// view is how an answer shows objects: whole, or only their metadata.
type view struct {
	version string // of meta.k8s.io; "" shows them whole
	list    bool   // a list of metadata was asked for
}

// viewOf reads an Accept header, and refuses what cannot be written.
func viewOf(accept string, collection bool) (view, *rest.Status) {
	if accept == "" {
		return view{}, nil
	}
	transformed := false
	for part := range strings.SplitSeq(accept, ",") {
		t, params := mediaRange(part)
		as, version := params["as"], params["v"]
		switch {
		case t != jsonContent && t != "*/*":
		case params["stream"] != "" && params["stream"] != "watch":
			transformed = true
		case as == "":
			return view{}, nil
		case strings.HasPrefix(as, "PartialObjectMetadata") && params["g"] == "meta.k8s.io" && (version == "v1" || version == "v1beta1"):
			if as == "PartialObjectMetadata" || as == "PartialObjectMetadataList" {
				return view{version: version, list: as == "PartialObjectMetadataList"}, nil
			}
			transformed = true
		default:
			transformed = true
		}
	}
	return view{}, notShown(accept, transformed, collection)
}

// mediaRange reads one part of an Accept header. Unlike that of a body, its type is not lowered.
func mediaRange(part string) (t string, params map[string]string) {
	t, list, _ := strings.Cut(part, ";")
	params = make(map[string]string)
	for p := range strings.SplitSeq(list, ";") {
		k, v, _ := strings.Cut(p, "=")
		params[strings.TrimSpace(k)] = strings.TrimSpace(v)
	}
	return strings.TrimSpace(t), params
}

// notShown refuses what cannot be written. transformed says that it was asked for in JSON, but as
// something else than it is.
func notShown(accept string, transformed, collection bool) *rest.Status {
	if t := otherFormat(accept); t != "" && !transformed {
		return notImplemented("answers in " + t)
	}
	const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
	if transformed { // such as a Table: the answer of servers that know none
		return failure(http.StatusNotAcceptable, rest.ReasonNotAcceptable, "only the following media types are accepted: "+types, nil)
	}
	text := "406: Not Acceptable\n\nAvailable representations: " + types
	if collection {
		text += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
	}
	return failure(http.StatusNotAcceptable, rest.ReasonNotAcceptable, text, &rest.StatusDetails{})
}

// otherFormat returns the first format in an Accept header that kube-apiserver could write and this
// server cannot, or "".
func otherFormat(accept string) string {
	for part := range strings.SplitSeq(accept, ",") {
		if t, _, err := mime.ParseMediaType(part); err == nil && isOtherFormat(t) {
			return t
		}
	}
	return ""
}

// raw returns an object as the view shows it by itself, and in a watch.
func (v view) raw(o *object, r *resource) []byte {
	if v.version == "" {
		return o.raw(r)
	}
	head := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/` + v.version + `","metadata":{`
	return append(value.AppendObject([]byte(head), o.content.Map("metadata"), metadataOrder), '}')
}

// rawPage returns a page as the view shows it.
func (v view) rawPage(p *page, r *resource) []byte {
	if v.version == "" {
		return p.raw(r)
	}
	out := []byte(`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/` + v.version + `","metadata":` + string(value.Encode(p.meta())) + `,"items":[`)
	if len(p.items) == 0 {
		return append(bytes.TrimSuffix(out, []byte("[")), "null}"...)
	}
	for i, o := range p.items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v.raw(o, r)...)
	}
	return append(out, ']', '}')
}

// internalType is the name of the type that kube-apiserver holds objects in. Some messages show it.
func (r *resource) internalType(suffix string) string {
	if r.custom {
		return "*unstructured.Unstructured" + suffix
	}
	return "*" + r.internalPackage() + "." + r.kind.Kind + suffix
}

// internalPackage is the name of that type's package.
func (r *resource) internalPackage() string {
	name, _, _ := strings.Cut(r.kind.Group, ".")
	if name == "" || name == "events" {
		return "core"
	}
	return name
}
