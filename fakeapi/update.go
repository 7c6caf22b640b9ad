package fakeapi

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// transform makes the new content of an object from a copy of the old one.
type transform func(current rest.Object) (rest.Object, *rest.Status)

// update changes a stored object, or its status alone. The caller holds the
// mutex.
func (s *Server) update(r *resource, namespace, name, sub string, f transform, o writeOptions) (*object, *rest.Status) {
	old, ok := r.objects[key(namespace, name)]
	if !ok {
		return nil, r.notFound(name)
	}
	content, st := f(value.CloneMap(old.content))
	if st == nil && o.escalation != nil {
		st = o.escalation(old.content, content)
	}
	if st != nil {
		return nil, st
	}
	if st := placeInNamespace(content, namespace); st != nil {
		return nil, st
	}
	if st := r.checkVersion(old, content); st != nil {
		return nil, st
	}
	r.retain(old.content, content, sub, o)
	emptyToNull(content, r.zero)
	causes := append(r.validateUpdate(old.content, content), s.contentCauses(r, content, o)...)
	if len(causes) > 0 {
		return nil, r.invalid(name, causes...)
	}
	switch {
	case !changedMeta(old.content, content) && value.SameMap(old.content, content, "metadata"):
		return old, nil
	case o.dryRun:
		return &object{content: content}, nil
	case content.String("metadata", "deletionTimestamp") != "" && len(finalizersOf(content)) == 0 &&
		content.Int("metadata", "deletionGracePeriodSeconds") == 0 && !r.namespaceEnds(content):
		// The last finalizer is gone: this was the deletion.
		s.remove(r, old)
		return &object{content: content, version: old.version}, nil
	}
	return s.replace(r, old, content), nil
}

// checkVersion is the optimistic lock.
func (r *resource) checkVersion(old *object, content rest.Object) *rest.Status {
	asked := content.ResourceVersion()
	v, err := strconv.ParseUint(asked, 10, 64)
	switch {
	case asked != "" && err != nil:
		return internal(err.Error())
	case v == 0 && r.traits.conditional:
		return invalid(r.kind.Resource(), r.details(content.Name()), []rest.StatusCause{
			valid.Invalid("metadata.resourceVersion", "0", "must be specified for an update"),
		})
	case v != 0 && v != old.version:
		return r.modified(content.Name())
	}
	return nil
}

// retain keeps what this write must not change, and counts the generation.
func (r *resource) retain(old, content rest.Object, sub string, o writeOptions) {
	m, oldMeta := meta(content), old.Map("metadata")
	delete(m, "managedFields")
	delete(m, "selfLink")
	value.Keep(m, oldMeta, "creationTimestamp", "generation", "resourceVersion")
	if _, ok := m["uid"]; !ok {
		value.Keep(m, oldMeta, "uid")
	}
	if _, ok := oldMeta["deletionTimestamp"]; ok {
		value.Keep(m, oldMeta, "deletionTimestamp")
	}
	if _, ok := m["deletionGracePeriodSeconds"]; !ok {
		value.Keep(m, oldMeta, "deletionGracePeriodSeconds")
	}
	delete(content, "kind")
	delete(content, "apiVersion")
	switch {
	case sub == "status":
		r.retainForStatus(old, content)
		return
	case r.kind.Status && !o.direct:
		value.Keep(content, old, "status")
	}
	r.setDefaults(content)
	if !r.traits.generation {
		return
	}
	ignored := []string{"metadata"}
	if r.kind.Status {
		ignored = append(ignored, "status")
	}
	if !value.SameMap(old, content, ignored...) || r.annotationsCount(old, content) {
		m["generation"] = old.Int("metadata", "generation") + 1
	}
}

// annotationsCount tells that a changed annotation raises the generation: those
// of a deployment do, since they are copied to its replica sets.
func (r *resource) annotationsCount(old, content rest.Object) bool {
	return r.kind.Resource() == "deployments.apps" && !maps.Equal(old.Annotations(), content.Annotations())
}

// retainForStatus keeps all but the status, and the metadata that the real
// server lets through.
func (r *resource) retainForStatus(old, content rest.Object) {
	status, has := content["status"]
	m := meta(content)
	switch {
	case r.custom:
		uid := m["uid"]
		maps.DeleteFunc(m, func(string, any) bool { return true })
		maps.Copy(m, old.Map("metadata"))
		m["uid"] = uid
	case r.kind.Resource() == "deployments.apps":
		value.Keep(m, old.Map("metadata"), "labels")
	case r.kind.Resource() == "pods":
		value.Keep(m, old.Map("metadata"), "ownerReferences")
	}
	maps.DeleteFunc(content, func(k string, _ any) bool { return k != "metadata" })
	for k, v := range old {
		if k != "metadata" && k != "status" {
			content[k] = v
		}
	}
	if has {
		content["status"] = status
	}
	r.fillZero(content)
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

// changedMeta tells whether the metadata differs, but for what every write
// changes.
func changedMeta(old, content rest.Object) bool {
	return !value.SameMap(old.Map("metadata"), content.Map("metadata"), "resourceVersion", "managedFields")
}

// namespaceEnds tells that an object is a namespace whose content is not yet
// removed.
func (r *resource) namespaceEnds(content rest.Object) bool {
	return r.kind.Resource() == "namespaces" && len(content.Slice("spec", "finalizers")) > 0
}

// put replaces an object: what an HTTP PUT does.
func (s *Server) put(r *resource, namespace, name, sub string, content rest.Object, o writeOptions) (*object, *rest.Status) {
	return s.update(r, namespace, name, sub, func(current rest.Object) (rest.Object, *rest.Status) {
		return content, r.checkUID(namespace, name, content, current)
	}, o)
}

// checkUID refuses a PUT that is meant for another object of the name.
func (r *resource) checkUID(namespace, name string, content, current rest.Object) *rest.Status {
	uid := content.UID()
	if uid == "" || uid == current.UID() {
		return nil
	}
	return r.conflict(name, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, "+
		"AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
		r.registryKey(namespace, name), uid, current.UID()))
}

// registryKey is where the real server stores an object; it appears in
// messages.
func (r *resource) registryKey(namespace, name string) string {
	parts := []string{"/registry"}
	if r.custom {
		parts = append(parts, r.kind.Group)
	}
	switch r.kind.Resource() {
	case "services":
		parts = append(parts, "services/specs")
	case "endpoints":
		parts = append(parts, "services/endpoints")
	case "nodes":
		parts = append(parts, "minions")
	default:
		parts = append(parts, r.kind.Plural)
	}
	if namespace != "" {
		parts = append(parts, namespace)
	}
	return strings.Join(append(parts, name), "/")
}
