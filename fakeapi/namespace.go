package fakeapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// immortal are the namespaces that may not be deleted.
var immortal = []string{"default", "kube-public", "kube-system"}

// mayDelete refuses the deletion of a namespace that every cluster needs.
func (r *resource) mayDelete(name string) *rest.Status {
	if r.kind.Resource() != "namespaces" || !slices.Contains(immortal, name) {
		return nil
	}
	return failure(http.StatusForbidden, rest.ReasonForbidden,
		fmt.Sprintf("namespaces %q is forbidden: this namespace may not be deleted", name), r.details(name))
}

// nameLabel gives a namespace the label with its name.
func nameLabel(content rest.Object) {
	labels := content.Map("metadata", "labels")
	if labels == nil {
		labels = make(map[string]any)
		meta(content)["labels"] = labels
	}
	labels["kubernetes.io/metadata.name"] = content.Name()
}

// defaultPhase sets the phase of a namespace that has none.
func defaultPhase(content rest.Object, phase string) {
	status := content.Map("status")
	if status == nil {
		status = make(map[string]any)
		content["status"] = status
	}
	if status["phase"] == nil || status["phase"] == "" {
		status["phase"] = phase
	}
}

// addFinalizer gives a new namespace the finalizer that keeps it until its content is gone.
func addFinalizer(content rest.Object) {
	have := content.Slice("spec", "finalizers")
	if slices.Contains(have, any("kubernetes")) {
		return
	}
	spec := content.Map("spec")
	if spec == nil {
		spec = make(map[string]any)
		content["spec"] = spec
	}
	spec["finalizers"] = append(slices.Clip(have), "kubernetes")
}

// keepFinalizers restores the finalizers of a namespace, which only change through its subresource
// finalize, or by the test's own hand.
func (r *resource) keepFinalizers(old, content rest.Object, sub string, o writeOptions) {
	if r.kind.Resource() != "namespaces" || sub == "finalize" || o.direct {
		return
	}
	spec := content.Map("spec")
	if spec == nil {
		spec = make(map[string]any)
		content["spec"] = spec
	}
	delete(spec, "finalizers")
	if have := old.Slice("spec", "finalizers"); len(have) > 0 {
		spec["finalizers"] = have
	}
}

// endNamespace marks a namespace. A controller would now remove what is in it, and then its
// finalizer; there is no controller here. The second result reports whether that was all: if not,
// it is deleted as other objects are.
func (t *tx) endNamespace(r *resource, old *object, o deleteOptions) (*object, bool) {
	ending := old.content.String("metadata", "deletionTimestamp") != ""
	if ending {
		return old, r.namespaceEnds(old.content)
	}
	content := cloneObject(old.content)
	if o.orphan != nil && !*o.orphan {
		o.orphan, o.propagation = nil, "Foreground" // for other kinds it is Background
	}
	r.markFinalizers(content, o)
	m := meta(content)
	delete(m, "deletionGracePeriodSeconds")
	m["deletionTimestamp"] = now()
	status := content.Map("status")
	if status == nil {
		status = make(map[string]any)
		content["status"] = status
	}
	status["phase"] = "Terminating"
	if o.dryRun {
		return &object{content: content}, true
	}
	return t.replace(r, old, content), true
}

// checkNamespacePreconditions refuses a delete that is meant for another namespace or another
// version of it.
func (r *resource) checkNamespacePreconditions(old *object, o deleteOptions) *rest.Status {
	name := old.content.Name()
	unmet := func(what, want, have string) *rest.Status {
		return r.conflict(name, fmt.Sprintf("Precondition failed: %s in precondition: %s, %s in object meta: %s", what, want, what, have))
	}
	switch uid, version := old.content.UID(), old.content.ResourceVersion(); {
	case o.uid != nil && *o.uid != uid:
		return unmet("UID", *o.uid, uid)
	case o.version != nil && *o.version != version:
		return unmet("ResourceVersion", *o.version, version)
	}
	return nil
}
