package fakeapi

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// transform turns a copy of an object into its new content.
type transform func(current rest.Object) (rest.Object, *rest.Status)

// updateOwn is update in a resource that has no hub.
func (t *tx) updateOwn(r *resource, namespace, name, sub string, f transform, o writeOptions) (*object, *rest.Status) {
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
	causes := append(r.validateUpdate(old.content, content), t.contentCauses(r, old.content, content, sub, o)...)
	if len(causes) > 0 {
		return nil, r.invalid(name, causes...)
	}
	o.warnAbout(r, content)
	switch {
	case !changedMeta(old.content, content) && value.SameMap(old.content, content, "metadata"):
		return old, nil
	case o.dryRun:
		return &object{content: content}, nil
	case content.String("metadata", "deletionTimestamp") != "" && len(finalizersOf(content)) == 0 &&
		content.Int("metadata", "deletionGracePeriodSeconds") == 0 && !r.namespaceEnds(content):
		// The last finalizer is gone: this was the deletion.
		t.remove(r, old)
		return &object{content: content, version: old.version}, nil
	}
	return t.replace(r, old, content), nil
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

// retain restores what this write must not change, and counts the generation.
func (r *resource) retain(old, content rest.Object, sub string, o writeOptions) {
	m, oldMeta := meta(content), old.Map("metadata")
	if o.direct {
		r.retainDirect(old, m)
	} else {
		value.Keep(m, oldMeta, "creationTimestamp", "generation", "managedFields")
	}
	if !o.dryRun { // the storage drops it
		delete(m, "selfLink")
	}
	value.Keep(m, oldMeta, "resourceVersion")
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
	case r.status && !o.direct:
		value.Keep(content, old, "status")
	}
	r.keepFinalizers(old, content, sub, o)
	r.setDefaults(content)
	counted := value.Same(m["generation"], oldMeta["generation"]) // a test may have set another one
	if counted && r.raises(old, content) {
		m["generation"] = old.Int("metadata", "generation") + 1
	}
}

// retainDirect restores the metadata that the test has not set itself.
func (r *resource) retainDirect(old rest.Object, m map[string]any) {
	for _, name := range []string{"creationTimestamp", "generation"} {
		if value.IsEmpty(m[name]) || m[name] == int64(0) {
			value.Keep(m, old.Map("metadata"), name)
		}
	}
	if m["managedFields"] == nil {
		value.Keep(m, old.Map("metadata"), "managedFields")
	}
}

// raises reports whether a change raises the generation. An annotation of a deployment does, for
// example, since it is copied to its replica sets.
func (r *resource) raises(old, content rest.Object) bool {
	for _, part := range r.traits.raises {
		var same bool
		switch part {
		case "labels":
			same = maps.Equal(old.Labels(), content.Labels())
		case "annotations":
			same = maps.Equal(old.Annotations(), content.Annotations())
		case "content":
			ignored := []string{"metadata"}
			if r.status {
				ignored = append(ignored, "status")
			}
			same = value.SameMap(old, content, ignored...)
		}
		if !same {
			return true
		}
	}
	return false
}

// retainForStatus restores everything but the status, and the metadata that kube-apiserver lets
// through.
func (r *resource) retainForStatus(old, content rest.Object) {
	status, has := content["status"]
	m := meta(content)
	switch {
	case r.kind.Resource() == "namespaces":
		nameLabel(content)
	case r.custom:
		uid := m["uid"]
		maps.DeleteFunc(m, func(string, any) bool { return true })
		maps.Copy(m, old.Map("metadata"))
		m["uid"] = uid
	}
	value.Keep(m, old.Map("metadata"), r.traits.keeps...)
	maps.DeleteFunc(content, func(k string, _ any) bool { return k != "metadata" })
	for k, v := range old {
		if k != "metadata" && k != "status" {
			content[k] = v
		}
	}
	if has {
		content["status"] = status
	}
	if r.kind.Resource() == "namespaces" {
		defaultPhase(content, "Active") // which is refused if the namespace is ending
	}
	r.fillZero(content)
}

// changedMeta reports whether the metadata differs, apart from what every write changes.
func changedMeta(old, content rest.Object) bool {
	return !value.SameMap(old.Map("metadata"), content.Map("metadata"), "resourceVersion")
}

// namespaceEnds reports whether an object is a namespace whose content has yet to be removed.
func (r *resource) namespaceEnds(content rest.Object) bool {
	return r.kind.Resource() == "namespaces" && len(content.Slice("spec", "finalizers")) > 0
}

// put replaces an object, as an HTTP PUT does.
func (t *tx) put(r *resource, namespace, name, sub string, content rest.Object, o writeOptions) (*object, *rest.Status) {
	return t.update(r, namespace, name, sub, func(current rest.Object) (rest.Object, *rest.Status) {
		return content, r.checkUID(namespace, name, content, current, o.dryRun)
	}, o)
}

// checkUID refuses a PUT that is meant for another object of this name.
func (r *resource) checkUID(namespace, name string, content, current rest.Object, dryRun bool) *rest.Status {
	uid := content.UID()
	if uid == "" || uid == current.UID() {
		return nil
	}
	key := r.registryKey(namespace, name)
	if dryRun {
		key = strings.TrimPrefix(key, "/registry") // the storage is not asked, and adds no prefix
	}
	return r.conflict(name, invalidObject(key, fmt.Sprintf("Precondition failed: UID in precondition: %s, UID in object meta: %s", uid, current.UID())))
}

// invalidObject is what the storage says about an object that is not as asked for.
func invalidObject(key, why string) string {
	return "StorageError: invalid object, Code: 4, Key: " + key + ", ResourceVersion: 0, AdditionalErrorMsg: " + why
}

// registryKey is where kube-apiserver stores an object. Some messages show it.
func (r *resource) registryKey(namespace, name string) string {
	parts := []string{"/registry"}
	if r.custom {
		parts = append(parts, r.kind.Group)
	}
	parts = append(parts, cmp.Or(r.traits.key, r.kind.Plural))
	if namespace != "" {
		parts = append(parts, namespace)
	}
	return strings.Join(append(parts, name), "/")
}
