package fakeapi

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// maxAnnotations is how many bytes the annotations of an object may have together.
const maxAnnotations = 256 << 10

// check returns what is wrong with a name, or with the prefix of one.
func (rule nameRule) check(name string, prefix bool) []string {
	if prefix && rule != pathSegment {
		if n := len(name); n > 1 && name[n-1] == '-' { // as if the dash were followed by something
			name = name[:n-2] + "a"
		}
	}
	switch rule {
	case label:
		return valid.Label(name)
	case pathSegment:
		return valid.Segment(name)
	default:
		return valid.Subdomain(name)
	}
}

// validate checks the metadata of an object to be stored. Names are checked by the rule.
func (r *resource) validate(content rest.Object, names nameRule) []rest.StatusCause {
	var causes []rest.StatusCause
	add := func(field, name string, problems []string) {
		for _, p := range problems {
			causes = append(causes, valid.Invalid(field, strconv.Quote(name), p))
		}
	}
	if prefix := content.String("metadata", "generateName"); prefix != "" {
		add("metadata.generateName", prefix, names.check(prefix, true))
	}
	if name := content.Name(); name != "" {
		add("metadata.name", name, names.check(name, false))
	} else {
		causes = append(causes, valid.Required("metadata.name", "name or generateName is required"))
	}
	if g := content.Int("metadata", "generation"); g < 0 {
		causes = append(causes, valid.Invalid("metadata.generation", strconv.FormatInt(g, 10), "must be greater than or equal to 0"))
	}
	return append(causes, metadataCauses(content)...)
}

// metadataCauses returns what is wrong with the metadata that a write may change.
func metadataCauses(content rest.Object) []rest.StatusCause {
	causes := labelCauses(content)
	for _, k := range value.Names(content.Annotations()) {
		for _, p := range valid.Qualified(strings.ToLower(k)) {
			causes = append(causes, valid.Invalid("metadata.annotations", strconv.Quote(k), p))
		}
	}
	size := 0
	for k, v := range content.Annotations() {
		size += len(k) + len(v)
	}
	if size > maxAnnotations {
		causes = append(causes, valid.TooLong("metadata.annotations", maxAnnotations))
	}
	causes = append(causes, ownerCauses(content)...)
	return append(causes, finalizerCauses(content)...)
}

// ownerCauses returns what is wrong with the owner references.
func ownerCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	controller := ""
	for i, v := range content.Slice("metadata", "ownerReferences") {
		m, _ := v.(map[string]any)
		field := fmt.Sprintf("metadata.ownerReferences[%d]", i)
		for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
			if m[name] == nil || m[name] == "" {
				causes = append(causes, valid.Required(field+"."+name, "must not be empty"))
			} else if text, _ := m[name].(string); name == "apiVersion" && (strings.Count(text, "/") > 1 || strings.HasSuffix(text, "/")) {
				causes = append(causes, valid.Invalid(field+".apiVersion", strconv.Quote(text), "must be <group>/<version> or <version>"))
			}
		}
		if m["apiVersion"] == "v1" && m["kind"] == "Event" {
			causes = append(causes, valid.Invalid(field, encodeOwner(m), "/v1, Kind=Event is disallowed from being an owner"))
		}
		if m["controller"] != true {
			continue
		}
		name := fmt.Sprintf("%v/%v", m["kind"], m["name"])
		if controller != "" {
			causes = append(causes, valid.Invalid("metadata.ownerReferences", encodeOwners(content),
				`Only one reference can have Controller set to true. Found "true" in references for `+controller+" and "+name))
		} else {
			controller = name
		}
	}
	return causes
}

// ownerReference is an owner reference in the order in which messages show it.
type ownerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

// encodeOwner encodes an owner reference as messages show it.
func encodeOwner(m map[string]any) string {
	all := encodeOwners(rest.Object{"metadata": map[string]any{"ownerReferences": []any{m}}})
	return all[1 : len(all)-1]
}

// encodeOwners encodes the owner references as messages show them.
func encodeOwners(content rest.Object) string {
	var o struct {
		Metadata struct {
			OwnerReferences []ownerReference `json:"ownerReferences"`
		} `json:"metadata"`
	}
	_ = stdjson.Unmarshal(value.Encode(content), &o) // it has been decoded before
	raw, err := stdjson.Marshal(o.Metadata.OwnerReferences)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// labelCauses returns what is wrong with the labels.
func labelCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	labels := content.Labels()
	for _, k := range value.Names(labels) {
		for _, p := range valid.Qualified(k) {
			causes = append(causes, valid.Invalid("metadata.labels", strconv.Quote(k), p))
		}
		for _, problem := range valid.LabelValues(labels[k]) {
			causes = append(causes, valid.Invalid("metadata.labels", strconv.Quote(labels[k]), problem))
		}
	}
	return causes
}

// finalizerCauses returns what is wrong with the finalizers.
func finalizerCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	all := finalizersOf(content)
	for i, f := range all {
		for _, p := range valid.Qualified(f) {
			causes = append(causes, valid.Invalid("metadata.finalizers", strconv.Quote(f), p))
		}
		causes = append(causes, unqualified(fmt.Sprintf("metadata.finalizers[%d]", i), f)...)
	}
	if slices.Contains(all, orphan) && slices.Contains(all, foreground) {
		causes = append(causes, valid.Invalid("metadata.finalizers", string(value.Encode(all)), "finalizer orphan and foregroundDeletion cannot be both set"))
	}
	return causes
}

// unqualified returns the cause of a finalizer that is neither one of Kubernetes nor has a prefix.
func unqualified(field, name string) []rest.StatusCause {
	if strings.Contains(name, "/") || name == orphan || name == foreground || name == "kubernetes" {
		return nil
	}
	return []rest.StatusCause{valid.Invalid(field, strconv.Quote(name), "name is neither a standard finalizer name nor is it fully qualified")}
}

// validateUpdate checks the metadata of new content against the old.
func (r *resource) validateUpdate(old, content rest.Object) []rest.StatusCause {
	names := pathSegment
	switch r.kind.Resource() {
	case "configmaps", "secrets", "namespaces": // their updates are checked as a create is
		names = r.traits.names
	}
	causes := r.validate(content, names)
	if old.String("metadata", "deletionTimestamp") != "" {
		have := finalizersOf(old)
		added := slices.DeleteFunc(finalizersOf(content), func(f string) bool { return slices.Contains(have, f) })
		slices.Sort(added)
		if len(added) > 0 {
			causes = append(causes, valid.Forbidden("metadata.finalizers",
				fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", slices.Compact(added))))
		}
	}
	if uid := content.UID(); uid != old.UID() {
		causes = append(causes, valid.Invalid("metadata.uid", strconv.Quote(uid), "field is immutable"))
	}
	for _, name := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		if v, ok := content.Get("metadata", name); ok && !value.Same(v, old.Map("metadata")[name]) {
			causes = append(causes, valid.Invalid("metadata."+name, string(value.Encode(v)), "field is immutable"))
		}
	}
	return causes
}
