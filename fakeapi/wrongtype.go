package fakeapi

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// timestamp is a time as kube-apiserver reads it.
type timestamp struct{}

// UnmarshalJSON checks a time.
func (timestamp) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	var text string
	if err := stdjson.Unmarshal(raw, &text); err != nil {
		return err
	}
	_, err := time.Parse(time.RFC3339, text)
	return err
}

// metaTypeError is not nil if metadata has values of a wrong type. It decodes into types like those
// of kube-apiserver to get the words for it: encoding/json names the type and its member.
func metaTypeError(raw []byte) error {
	type UID string
	type OwnerReference struct {
		APIVersion         string `json:"apiVersion"`
		Kind               string `json:"kind"`
		Name               string `json:"name"`
		UID                UID    `json:"uid"`
		Controller         *bool  `json:"controller,omitempty"`
		BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
	}
	type ManagedFieldsEntry struct {
		Manager     string             `json:"manager"`
		Operation   string             `json:"operation"`
		APIVersion  string             `json:"apiVersion"`
		Time        *timestamp         `json:"time"`
		FieldsType  string             `json:"fieldsType"`
		FieldsV1    stdjson.RawMessage `json:"fieldsV1"`
		Subresource string             `json:"subresource"`
	}
	type ObjectMeta struct {
		Name                       string            `json:"name"`
		GenerateName               string            `json:"generateName"`
		Namespace                  string            `json:"namespace"`
		SelfLink                   string            `json:"selfLink"`
		UID                        UID               `json:"uid"`
		ResourceVersion            string            `json:"resourceVersion"`
		Generation                 int64             `json:"generation"`
		DeletionGracePeriodSeconds *int64            `json:"deletionGracePeriodSeconds"`
		Labels                     map[string]string `json:"labels"`
		Annotations                map[string]string `json:"annotations"`
		OwnerReferences            []OwnerReference  `json:"ownerReferences"`
		Finalizers                 []string          `json:"finalizers"`

		CreationTimestamp timestamp            `json:"creationTimestamp"`
		DeletionTimestamp *timestamp           `json:"deletionTimestamp"`
		ManagedFields     []ManagedFieldsEntry `json:"managedFields"`
	}
	var o struct {
		Metadata ObjectMeta `json:"metadata"`
	}
	return stdjson.Unmarshal(raw, &o)
}

// typeError is not nil if metadata, or the data of a ConfigMap or a Secret, has values of a wrong
// type. Other types are not known here.
func (r *resource) typeError(raw []byte) error {
	type ConfigMap struct {
		Immutable  *bool             `json:"immutable"`
		Data       map[string]string `json:"data"`
		BinaryData map[string][]byte `json:"binaryData"`
	}
	type FinalizerName string
	type NamespaceSpec struct {
		Finalizers []FinalizerName `json:"finalizers"`
	}
	type NamespacePhase string
	type NamespaceConditionType string
	type ConditionStatus string
	type NamespaceCondition struct {
		Type               NamespaceConditionType `json:"type"`
		Status             ConditionStatus        `json:"status"`
		LastTransitionTime timestamp              `json:"lastTransitionTime"`
		Reason             string                 `json:"reason"`
		Message            string                 `json:"message"`
	}
	type NamespaceStatus struct {
		Phase      NamespacePhase       `json:"phase"`
		Conditions []NamespaceCondition `json:"conditions"`
	}
	type Namespace struct {
		Spec   NamespaceSpec   `json:"spec"`
		Status NamespaceStatus `json:"status"`
	}
	type SecretType string
	type Secret struct {
		Immutable  *bool             `json:"immutable"`
		StringData map[string]string `json:"stringData"`
		Data       map[string][]byte `json:"data"`
		Type       SecretType        `json:"type"`
	}
	type ScaleSpec struct {
		Replicas int32 `json:"replicas"`
	}
	type Scale struct {
		Spec ScaleSpec `json:"spec"`
	}
	err := metaTypeError(raw)
	if err == nil && !r.custom {
		switch r.kind.Resource() {
		case "configmaps":
			err = stdjson.Unmarshal(raw, &ConfigMap{})
		case "namespaces":
			err = stdjson.Unmarshal(raw, &Namespace{})
		case "secrets":
			err = stdjson.Unmarshal(raw, &Secret{})
		case "scales.autoscaling":
			err = stdjson.Unmarshal(raw, &Scale{})
		case "evictions.policy":
			_, err = decodeDeleteOptions(raw, true)
		}
	}
	return err
}

// typesKnown reports whether the types and the names of all members are known.
func (r *resource) typesKnown() bool {
	if r.custom {
		return false
	}
	switch r.kind.Resource() {
	case "configmaps", "secrets", "namespaces", "scales.autoscaling":
		return true
	}
	return r.reviewed
}

// typeProblem returns what kube-apiserver says about a value of a wrong type.
func (r *resource) typeProblem(err error) string {
	return goTypes.Replace(strings.Replace(err.Error(), "Go struct field .metadata of type", "Go struct field "+r.kind.Kind+".metadata of type", 1))
}

// conversionProblem returns what kube-apiserver says about a value of a wrong type when it converts
// instead of decoding. raw is the text that was decoded.
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
		return "cannot convert int64 to " + goTypes.Replace(wrong.Type.String())
	default:
		return "unrecognized type: " + kind.String()
	}
}

// isPlain reports whether an object is of the types that typeError knows, without looking closely:
// one that is plain has no type error.
func (r *resource) isPlain(content rest.Object) bool {
	for k := range content {
		switch {
		case k == "kind", k == "apiVersion":
			if !isText(content[k]) {
				return false
			}
		case strings.EqualFold(k, "kind"), strings.EqualFold(k, "apiVersion"), strings.EqualFold(k, "metadata") && k != "metadata":
			return false // encoding/json takes them for the same
		}
	}
	m, ok := content["metadata"].(map[string]any)
	if !ok && content["metadata"] != nil || !isPlainMeta(m) {
		return false
	}
	if r.custom {
		return true
	}
	switch r.kind.Resource() {
	case "configmaps":
		for k := range content {
			if !slices.Contains([]string{"kind", "apiVersion", "metadata", "data", "binaryData"}, k) {
				return false
			}
		}
		return onlyTexts(content["data"]) && content["binaryData"] == nil
	case "secrets", "namespaces", "scales.autoscaling", "evictions.policy":
		return false
	}
	return true
}

// isPlainMeta reports whether metadata has known members only, of the types that they have to be.
func isPlainMeta(m map[string]any) bool {
	for k, v := range m {
		plain := slices.Contains(metadataOrder, k)
		switch {
		case !plain || v == nil:
		case k == "labels", k == "annotations":
			plain = onlyTexts(v)
		case k == "finalizers":
			list, ok := v.([]any)
			plain = ok && !slices.ContainsFunc(list, func(e any) bool { return !isText(e) })
		case k == "creationTimestamp", k == "deletionTimestamp":
			text, ok := v.(string)
			_, err := time.Parse(time.RFC3339, text)
			plain = ok && err == nil
		case k == "managedFields":
			plain = false
		case k == "generation", k == "deletionGracePeriodSeconds":
			_, plain = v.(int64)
		default:
			plain = isText(v)
		}
		if !plain || k == "ownerReferences" {
			return false
		}
	}
	return true
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// onlyTexts reports whether a value is missing, or a map of texts.
func onlyTexts(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return v == nil
	}
	for _, e := range m {
		if !isText(e) {
			return false
		}
	}
	return true
}
