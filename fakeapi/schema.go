package fakeapi

import (
	stdjson "encoding/json"
	"net/http"
	"slices"
	"strings"

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

// typeProblem returns what the real server says of metadata, and of the data of
// ConfigMaps and Secrets, whose values are of a wrong type. The other types are
// not known here.
func (r *resource) typeProblem(raw []byte) string {
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
		}
	}
	if err == nil {
		return ""
	}
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
	for _, k := range sortedNames(m) {
		switch {
		case !slices.Contains(metadataOrder, k):
			unknown = append(unknown, "metadata."+k)
			delete(m, k)
		case isEmpty(m[k]):
			delete(m, k)
		}
	}
	if r.custom {
		return unknown
	}
	dropNulls(content)
	known, ok := r.members()
	if !ok {
		return unknown
	}
	for _, k := range sortedNames(content) {
		switch {
		case slices.Contains(known, k):
			if k == "data" || k == "binaryData" || k == "stringData" {
				if isEmpty(content[k]) {
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

// isEmpty tells whether a member that is optional is not written.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// dropNulls removes the members that are null, at any depth.
func dropNulls(v any) {
	switch v := v.(type) {
	case rest.Object:
		dropNulls(map[string]any(v))
	case map[string]any:
		for k, e := range v {
			if e == nil {
				delete(v, k)
			} else {
				dropNulls(e)
			}
		}
	case []any:
		for _, e := range v {
			dropNulls(e)
		}
	}
}

// accept tidies an object that a client sends, and tells of members that are
// unknown or come twice as the client has asked: not at all, by warnings, or by
// a refusal. raw is the text of the object.
func (r *resource) accept(w http.ResponseWriter, content rest.Object, raw []byte, o writeOptions) *rest.Status {
	problems := strictProblems(raw, r.tidy(content))
	switch {
	case len(problems) == 0 || o.validation == "Ignore":
	case o.validation == "Strict":
		return badRequest("%s in version %q cannot be handled as a %s: strict decoding error: %s",
			r.kind.Kind, r.kind.Version, r.kind.Kind, strings.Join(problems, ", "))
	default:
		for _, text := range problems {
			w.Header().Add("Warning", "299 - "+string(encodeSorted(text)))
		}
	}
	return nil
}
