package fakeapi

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// ownerReference and the types below exist to get the same words for a value of
// a wrong type as the real server has: encoding/json names the type and its
// member. Their names are those of the real types.
type ownerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

// typeError tells that metadata, or the data of a ConfigMap or a Secret, has
// values of a wrong type. The other types are not known here.
func (r *resource) typeError(raw []byte) error {
	type ObjectMeta struct {
		Name                       string            `json:"name"`
		GenerateName               string            `json:"generateName"`
		Namespace                  string            `json:"namespace"`
		SelfLink                   string            `json:"selfLink"`
		UID                        string            `json:"uid"`
		ResourceVersion            string            `json:"resourceVersion"`
		Generation                 int64             `json:"generation"`
		DeletionGracePeriodSeconds *int64            `json:"deletionGracePeriodSeconds"`
		Labels                     map[string]string `json:"labels"`
		Annotations                map[string]string `json:"annotations"`
		OwnerReferences            []ownerReference  `json:"ownerReferences"`
		Finalizers                 []string          `json:"finalizers"`
	}
	type ConfigMap struct {
		Immutable *bool             `json:"immutable"`
		Data      map[string]string `json:"data"`
	}
	type Secret struct {
		Immutable  *bool             `json:"immutable"`
		StringData map[string]string `json:"stringData"`
		Data       map[string][]byte `json:"data"`
		Type       string            `json:"type"`
	}
	type ScaleSpec struct {
		Replicas int32 `json:"replicas"`
	}
	type Scale struct {
		Spec ScaleSpec `json:"spec"`
	}
	var o struct {
		Metadata ObjectMeta `json:"metadata"`
	}
	err := stdjson.Unmarshal(raw, &o)
	if err == nil && !r.custom {
		switch r.kind.Resource() {
		case "configmaps":
			err = stdjson.Unmarshal(raw, &ConfigMap{})
		case "secrets":
			err = stdjson.Unmarshal(raw, &Secret{})
		case "scales.autoscaling":
			err = stdjson.Unmarshal(raw, &Scale{})
		}
	}
	return err
}

// typeProblem returns what the real server says of a value of a wrong type.
func (r *resource) typeProblem(err error) string {
	const field, typ = "Go struct field .metadata of type fakeapi.", "ObjectMeta"
	if r.custom { // whose metadata is decoded by itself
		return strings.NewReplacer(field+typ, "Go value of type v1."+typ, typ+".metadata.", typ+".").Replace(err.Error())
	}
	return strings.Replace(err.Error(), field, "Go struct field "+r.kind.Kind+".metadata of type v1.", 1)
}

// tidy makes an object what the real server would read of it: without nulls,
// without metadata that is empty or unknown, and without members that the type
// does not have. It returns the names of the unknown members.
func (r *resource) tidy(content rest.Object) []string {
	var unknown []string
	m := meta(content)
	for _, k := range value.Names(m) {
		switch {
		case !slices.Contains(metadataOrder, k):
			unknown = append(unknown, "metadata."+k)
			delete(m, k)
		case value.IsEmpty(m[k]):
			delete(m, k)
		case k == "labels" || k == "annotations":
			emptyNulls(content.Map("metadata", k))
		}
	}
	if r.custom {
		return unknown
	}
	if name := r.kind.Resource(); name == "configmaps" || name == "secrets" {
		emptyNulls(content.Map("data"))
		emptyNulls(content.Map("binaryData"))
		emptyNulls(content.Map("stringData"))
	}
	value.DropNulls(map[string]any(content))
	unknown = append(unknown, r.dropUnknown(content)...)
	if r.reviewed {
		unknown = append(unknown, dropUnknownBelow(content.Map("spec"), r.kind.Kind, "spec.")...)
	}
	return unknown
}

// dropUnknownBelow removes the members that the spec of a review, or a part of
// it, does not have.
func dropUnknownBelow(m map[string]any, typ, prefix string) []string {
	var unknown []string
	known := strings.Fields(specMembers[typ])
	for _, k := range value.Names(m) {
		inner, _ := m[k].(map[string]any)
		switch {
		case !slices.Contains(known, k):
			unknown = append(unknown, prefix+k)
			delete(m, k)
		case specMembers[k] != "":
			unknown = append(unknown, dropUnknownBelow(inner, k, prefix+k+".")...)
		}
	}
	return unknown
}

// dropUnknown removes the members that the type of a built-in kind does not
// have, and returns their names.
func (r *resource) dropUnknown(content rest.Object) []string {
	known, ok := r.members()
	if !ok {
		return nil
	}
	var unknown []string
	for _, k := range value.Names(content) {
		switch {
		case slices.Contains(known, k):
			if k == "data" || k == "binaryData" || k == "stringData" {
				if value.IsEmpty(content[k]) {
					delete(content, k)
				}
			}
		case k != "kind" && k != "apiVersion" && k != "metadata":
			unknown = append(unknown, k)
			delete(content, k)
		}
	}
	return unknown
}

// members returns the members that objects of a built-in kind can have beside
// kind, apiVersion and metadata, if they are known.
func (r *resource) members() ([]string, bool) {
	id := r.kind.APIVersion() + "/" + r.kind.Plural
	if names, ok := topMembers[id]; ok {
		return strings.Fields(names), true
	}
	names := []string{"spec"}
	if r.kind.Status {
		names = append(names, "status")
	}
	_, ok := zeroMembers[id]
	return names, ok
}

// emptyNulls makes the nulls of a map of texts what they are read as.
func emptyNulls(m map[string]any) {
	for k, v := range m {
		if v == nil {
			m[k] = ""
		}
	}
}

// accept tidies an object that a client sends, and tells of members that are
// unknown or come twice. raw is the text of the object.
func (r *resource) accept(w http.ResponseWriter, content rest.Object, raw []byte, o writeOptions) *rest.Status {
	return tellProblems(w, strictProblems(raw, r.tidy(content)), o, func(all string) *rest.Status {
		return badRequest("%s in version %q cannot be handled as a %s: %s", r.kind.Kind, r.kind.Version, r.kind.Kind, all)
	})
}

// tellProblems tells of what a strict decoder does not like as the client has
// asked: not at all, by warnings, or by a refusal.
func tellProblems(w http.ResponseWriter, problems []string, o writeOptions, refuse func(all string) *rest.Status) *rest.Status {
	switch {
	case len(problems) == 0 || o.validation == "Ignore":
	case o.validation == "Strict":
		return refuse("strict decoding error: " + strings.Join(problems, ", "))
	default:
		for _, text := range problems {
			w.Header().Add("Warning", "299 - "+string(value.Encode(text)))
		}
	}
	return nil
}

// conversionProblem returns what the real server says of a value of a wrong type
// where it does not decode, but converts. raw is the text that was decoded.
func conversionProblem(err error, raw []byte) string {
	var wrong *stdjson.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	value, _, _ := strings.Cut(wrong.Value, " ")
	from := value
	switch text := raw[:min(int(wrong.Offset), len(raw))]; value {
	case "object":
		from = "map"
	case "array":
		from = "slice"
	case "number":
		from = "int64"
		if number := text[len(bytes.TrimRight(text, "+-.0123456789eE")):]; bytes.ContainsAny(number, ".eE") {
			from = "float64"
		}
	}
	switch kind := wrong.Type.Kind(); {
	case kind == reflect.Map, kind == reflect.Slice:
		return "cannot restore " + kind.String() + " from " + from
	case kind == reflect.Struct:
		return "cannot restore struct from: " + from
	case from == "int64" && kind == reflect.String:
		return "cannot convert int64 to string"
	default:
		return "unrecognized type: " + kind.String()
	}
}
