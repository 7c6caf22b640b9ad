package fakeapi

import (
	"encoding/base64"
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// tidy turns an object into what kube-apiserver would read of it: without nulls, without metadata
// that is empty or unknown, and without members that the type does not have. It returns the names
// of the unknown members.
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
		case k == "finalizers":
			emptyNullItems(m[k])
		}
	}
	unknown = append(unknown, dropUnknownOwners(content)...)
	if r.custom {
		return unknown
	}
	if r.kind.Resource() == "namespaces" {
		unknown = append(unknown, dropOthers(content.Map("spec"), "spec.", "finalizers")...)
		emptyNullItems(content.Map("spec")["finalizers"])
		for i, v := range content.Slice("status", "conditions") {
			c, _ := v.(map[string]any)
			prefix := fmt.Sprintf("status.conditions[%d].", i)
			unknown = append(unknown, dropOthers(c, prefix, "type", "status", "lastTransitionTime", "reason", "message")...)
			value.Default(c, "", "type")
			value.Default(c, "", "status")
		}
		unknown = append(unknown, dropOthers(content.Map("status"), "status.", "phase", "conditions")...)
	}
	if r.kind.Resource() == "evictions.policy" {
		unknown = append(unknown, dropOthers(content.Map("deleteOptions"), "deleteOptions.", "kind", "apiVersion", "gracePeriodSeconds",
			"preconditions", "orphanDependents", "propagationPolicy", "dryRun", ignoreReadError)...)
		unknown = append(unknown, dropOthers(content.Map("deleteOptions", "preconditions"), "deleteOptions.preconditions.", "uid", "resourceVersion")...)
	}
	switch r.kind.Resource() {
	case "configmaps":
		emptyNulls(content.Map("data"))
		readBytes(content.Map("binaryData"))
	case "secrets":
		emptyNulls(content.Map("stringData"))
		readBytes(content.Map("data"))
	}
	unknown = append(unknown, r.dropUnknown(content)...)
	value.DropNulls(map[string]any(content))
	if r.reviewed {
		unknown = append(unknown, dropUnknownBelow(content.Map("spec"), r.kind.Kind, "spec.")...)
	}
	return unknown
}

// dropUnknownOwners removes the members that an owner reference does not have.
func dropUnknownOwners(content rest.Object) []string {
	unknown := make([]string, 0, 1)
	for i, v := range content.Slice("metadata", "ownerReferences") {
		m, _ := v.(map[string]any)
		prefix := fmt.Sprintf("metadata.ownerReferences[%d].", i)
		unknown = append(unknown, dropOthers(m, prefix, "apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")...)
	}
	return unknown
}

// dropOthers removes all members but the known ones.
func dropOthers(m map[string]any, prefix string, known ...string) []string {
	var unknown []string
	for _, k := range value.Names(m) {
		if !slices.Contains(known, k) {
			unknown = append(unknown, prefix+k)
			delete(m, k)
		}
	}
	return unknown
}

// dropDuplicateOwners removes the owner references that come again, and returns their UIDs.
func dropDuplicateOwners(content rest.Object) []string {
	var uids []string
	var kept []any
	all := content.Slice("metadata", "ownerReferences")
	for _, v := range all {
		if slices.ContainsFunc(kept, func(k any) bool { return value.Same(k, v) }) {
			m, _ := v.(map[string]any)
			uids = append(uids, rest.Object(m).String("uid"))
			continue
		}
		kept = append(kept, v)
	}
	if len(uids) > 0 {
		meta(content)["ownerReferences"] = kept
	}
	return uids
}

// warnOwners removes the owner references that come again, and warns about them. when is what the
// warning says about the time.
func (r *request) warnOwners(content rest.Object, when string) {
	if uids := dropDuplicateOwners(content); len(uids) > 0 {
		r.warn(".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject " +
			"such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(uids, ", "))
	}
}

// dropUnknownBelow removes the members that the spec of a review, or a part of it, does not have.
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

// dropUnknown removes the members that the type of a built-in kind does not have, and returns their
// names.
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

// members returns the members that objects of a built-in kind can have besides kind, apiVersion and
// metadata, if they are known.
func (r *resource) members() ([]string, bool) {
	names, ok := topMembers[r.kind.String()]
	return strings.Fields(names), ok
}

// emptyNulls turns the nulls in a map of strings into what they are read as.
func emptyNulls(m map[string]any) {
	for k, v := range m {
		if v == nil {
			m[k] = ""
		}
	}
}

// emptyNullItems turns the nulls in a list of strings into what they are read as.
func emptyNullItems(v any) {
	list, _ := v.([]any)
	for i, e := range list {
		if e == nil {
			list[i] = ""
		}
	}
}

// readBytes turns the values of a map into the text in which bytes are written: base64 without line
// ends. A null is read as no bytes, and a list of numbers as a list of bytes.
func readBytes(m map[string]any) {
	for k, v := range m {
		var b []byte
		if err := stdjson.Unmarshal(value.Encode(v), &b); err == nil {
			m[k] = base64.StdEncoding.EncodeToString(b)
		}
	}
}
