package fakeapi

import (
	stdjson "encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// maxData is how many bytes the data of a ConfigMap or a Secret may have.
const maxData = 1 << 20

// check returns what is wrong with a name, or with the prefix of one.
func (rule nameRule) check(name string, prefix bool) []string {
	if prefix && rule != pathSegment {
		name = strings.TrimSuffix(name, "-")
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

// validate checks the metadata of an object to be stored.
func (r *resource) validate(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	add := func(field, name string, problems []string) {
		for _, p := range problems {
			causes = append(causes, valid.Invalid(field, strconv.Quote(name), p))
		}
	}
	if prefix := content.String("metadata", "generateName"); prefix != "" {
		add("metadata.generateName", prefix, r.traits.names.check(prefix, true))
	}
	if name := content.Name(); name != "" {
		add("metadata.name", name, r.traits.names.check(name, false))
	} else {
		causes = append(causes, valid.Required("metadata.name", "name or generateName is required"))
	}
	if g := content.Int("metadata", "generation"); g < 0 {
		causes = append(causes, valid.Invalid("metadata.generation", strconv.FormatInt(g, 10), "must be greater than or equal to 0"))
	}
	return append(causes, metadataCauses(content)...)
}

// contentCauses returns what is wrong besides the metadata. What the test writes itself is only
// checked if the server has to understand it.
func (s *store) contentCauses(r *resource, content rest.Object, o writeOptions) []rest.StatusCause {
	if o.direct && (!s.options.RBAC || r.kind.Group != rbac.Group) {
		return nil
	}
	return r.contentCauses(content)
}

// contentCauses returns what is wrong besides the metadata. Little is checked: what a mistaken test
// is likely to get wrong.
func (r *resource) contentCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	switch r.kind.Resource() {
	case "clusterroles.rbac.authorization.k8s.io", "roles.rbac.authorization.k8s.io":
		return rbac.RoleCauses(content, r.kind.Namespaced)
	case "clusterrolebindings.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io":
		return rbac.BindingCauses(content, r.kind.Namespaced)
	case "pods":
		if len(content.Slice("spec", "containers")) == 0 {
			causes = append(causes, valid.Required("spec.containers", ""))
		}
	case "configmaps", "secrets":
		size := 0
		for _, member := range []string{"data", "binaryData"} {
			for _, k := range value.Names(content.Map(member)) {
				v, _ := content.Map(member)[k].(string)
				if size += len(v); member == "binaryData" || r.kind.Resource() == "secrets" {
					size -= len(v) / 4 // encoded as base64
				}
				if problem := valid.DataKey(k); problem != "" {
					causes = append(causes, valid.Invalid(member+"["+k+"]", strconv.Quote(k), problem))
				}
			}
		}
		if size > maxData {
			causes = append(causes, valid.TooLong(r.sizeField(), maxData))
		}
	}
	return causes
}

// sizeField is the field that kube-apiserver names when there is too much data.
func (r *resource) sizeField() string {
	if r.kind.Resource() == "secrets" {
		return "data"
	}
	return "[]"
}

// metadataCauses returns what is wrong with the metadata that a write may change.
func metadataCauses(content rest.Object) []rest.StatusCause {
	causes := labelCauses(content)
	for _, k := range value.Names(content.Annotations()) {
		for _, p := range valid.Qualified(strings.ToLower(k)) {
			causes = append(causes, valid.Invalid("metadata.annotations", strconv.Quote(k), p))
		}
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
		for _, name := range []string{"apiVersion", "kind", "name", "uid"} {
			if m[name] == nil || m[name] == "" {
				causes = append(causes, valid.Required(fmt.Sprintf("metadata.ownerReferences[%d].%s", i, name), "must not be empty"))
			}
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
		if problem := valid.LabelValue(labels[k]); problem != "" {
			causes = append(causes, valid.Invalid("metadata.labels", strconv.Quote(labels[k]), problem))
		}
	}
	return causes
}

// finalizerCauses returns what is wrong with the finalizers.
func finalizerCauses(content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	for i, f := range finalizersOf(content) {
		for _, p := range valid.Qualified(f) {
			causes = append(causes, valid.Invalid("metadata.finalizers", strconv.Quote(f), p))
		}
		standard := f == "orphan" || f == "foregroundDeletion" || f == "kubernetes"
		if !strings.Contains(f, "/") && !standard {
			causes = append(causes, valid.Invalid(fmt.Sprintf("metadata.finalizers[%d]", i), strconv.Quote(f), "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return causes
}

// validateUpdate checks new content against the old.
func (r *resource) validateUpdate(old, content rest.Object) []rest.StatusCause {
	var causes []rest.StatusCause
	if old.String("metadata", "deletionTimestamp") != "" {
		have := finalizersOf(old)
		added := slices.DeleteFunc(finalizersOf(content), func(f string) bool { return slices.Contains(have, f) })
		if len(added) > 0 {
			causes = append(causes, valid.Forbidden("metadata.finalizers",
				fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
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
	causes = append(causes, metadataCauses(content)...)
	switch r.kind.Resource() {
	case "rolebindings." + rbac.Group, "clusterrolebindings." + rbac.Group:
		causes = append(causes, rbac.RoleRefCauses(old, content)...)
	}
	return causes
}
