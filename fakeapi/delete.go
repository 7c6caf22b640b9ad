package fakeapi

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// deleteOptions are what a delete may ask for.
type deleteOptions struct {
	grace        *int64
	propagation  string
	named        bool // a propagation policy was given, even if it is empty
	uid, version *string

	preconditions bool // there are some, even if they ask for nothing

	orphan *bool
	dryRun bool
	stages []string // of the dry run, as they were asked for
	unsafe bool     // asked to remove an object that cannot be read from storage
}

// check refuses options that no delete can have.
func (o deleteOptions) check() *rest.Status {
	var causes []rest.StatusCause
	if o.named && o.orphan != nil {
		causes = append(causes, valid.Invalid("propagationPolicy", strconv.Quote(o.propagation),
			"orphanDependents and deletionPropagation cannot be both set"))
	}
	if o.named && !slices.Contains([]string{"Foreground", "Background", "Orphan"}, o.propagation) {
		causes = append(causes, valid.Unsupported("propagationPolicy", strconv.Quote(o.propagation), "Foreground", "Background", "Orphan", "nil"))
	}
	causes = append(causes, dryRunCauses(o.stages)...)
	if o.unsafe {
		for _, other := range []struct {
			name string
			set  bool
		}{{"propagationPolicy", o.named}, {"orphanDependents", o.orphan != nil}, {"gracePeriodSeconds", o.grace != nil}, {"preconditions", o.preconditions}} {
			if other.set {
				causes = append(causes, valid.Invalid(ignoreReadError, "true", "cannot be set together with ."+other.name))
			}
		}
	}
	if len(causes) > 0 {
		return invalidOptions("DeleteOptions", causes...)
	}
	return nil
}

// eraseOwn is erase in a resource that has no hub.
func (t *tx) eraseOwn(r *resource, namespace, name string, o deleteOptions) (*object, bool, *rest.Status) {
	old, ok := r.objects[key(namespace, name)]
	if !ok {
		return nil, false, r.notFound(name)
	}
	if st := r.checkPreconditions(old, o); st != nil {
		return nil, false, st
	}
	if st := r.mayDelete(name); st != nil {
		return nil, false, st
	}
	if r.kind.Resource() == "namespaces" {
		if obj, done := t.endNamespace(r, old, o); done {
			return obj, false, nil
		}
	}
	content := cloneObject(old.content)
	if m := meta(content); r.kind.Resource() == "namespaces" && m["deletionGracePeriodSeconds"] == nil && len(finalizersOf(content)) > 0 {
		m["deletionGracePeriodSeconds"] = int64(0)
	}
	pending := r.markGraceful(content, o)
	if pending {
		return old, false, nil
	}
	r.markFinalizers(content, o)
	gone := len(finalizersOf(content)) == 0 && content.Int("metadata", "deletionGracePeriodSeconds") == 0
	if changedMeta(old.content, content) {
		if o.dryRun {
			return &object{content: content}, gone, nil
		}
		old = t.replace(r, old, content)
	}
	if !gone || o.dryRun {
		return old, gone, nil
	}
	return t.remove(r, old), true, nil
}

// checkPreconditions refuses a delete that is meant for another object or another version of it.
func (r *resource) checkPreconditions(old *object, o deleteOptions) *rest.Status {
	name := old.content.Name()
	if o.unsafe {
		return r.conflict(name, invalidObject(r.registryKey(old.content.Namespace(), name), "unsafe deletion is not allowed because the object is decodable from storage"))
	}
	if r.kind.Resource() == "namespaces" {
		return r.checkNamespacePreconditions(old, o)
	}
	if o.uid != nil && *o.uid != old.content.UID() {
		return r.unmetPrecondition(name, fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). "+
			"The object might have been deleted and then recreated", *o.uid, old.content.UID()))
	}
	if o.version != nil && *o.version != old.content.ResourceVersion() {
		return r.unmetPrecondition(name, fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match "+
			"the ResourceVersion in record (%s). The object might have been modified", *o.version, old.content.ResourceVersion()))
	}
	return nil
}

// markGraceful gives a pod its time to end. It reports whether the pod is ending already, and the
// delete changes nothing about that. Other objects end at once.
func (r *resource) markGraceful(content rest.Object, o deleteOptions) bool {
	if r.kind.Resource() != "pods" {
		return false
	}
	if o.grace != nil && *o.grace < 0 { // as soon as possible
		one := int64(1)
		o.grace = &one
	}
	m := meta(content)
	if content.String("metadata", "deletionTimestamp") != "" {
		left := content.Int("metadata", "deletionGracePeriodSeconds")
		switch {
		case left == 0:
			return false
		case o.grace == nil || *o.grace >= left:
			return true
		}
		end, err := time.Parse(time.RFC3339, content.String("metadata", "deletionTimestamp"))
		if err != nil {
			return true
		}
		period := *o.grace
		end = end.Add(time.Duration(period-left) * time.Second)
		if begin := time.Now(); end.Before(begin) {
			end = begin
			period = min(period, 1)
		}
		m["deletionTimestamp"], m["deletionGracePeriodSeconds"] = end.UTC().Format(time.RFC3339), period
		return false
	}
	period := content.Int("spec", "terminationGracePeriodSeconds")
	if o.grace != nil {
		period = *o.grace
	}
	if phase := content.String("status", "phase"); content.String("spec", "nodeName") == "" || phase == "Succeeded" || phase == "Failed" {
		period = 0
	}
	if period < 0 {
		period = 1
	}
	mark(content, time.Duration(period)*time.Second)
	return false
}

// mark marks an object as being deleted.
func mark(content rest.Object, grace time.Duration) {
	m := meta(content)
	m["deletionTimestamp"] = time.Now().Add(grace).UTC().Format(time.RFC3339)
	m["deletionGracePeriodSeconds"] = int64(grace / time.Second)
	if g := content.Int("metadata", "generation"); g > 0 {
		m["generation"] = g + 1
	}
}

// The finalizers that stand for a propagation policy.
const (
	orphan     = "orphan"
	foreground = "foregroundDeletion"
)

// wantedFinalizer returns the finalizer that a propagation policy asks for, or "".
func (r *resource) wantedFinalizer(have []string, o deleteOptions) string {
	switch {
	case r.traits.independent:
		return ""
	case o.orphan != nil && *o.orphan, o.propagation == "Orphan":
		return orphan
	case o.propagation == "Foreground":
		return foreground
	case o.propagation == "Background", o.orphan != nil:
		return ""
	case slices.Contains(have, orphan):
		return orphan
	case slices.Contains(have, foreground):
		return foreground
	case r.traits.orphans:
		return orphan
	}
	return ""
}

// markFinalizers adds the finalizer that the propagation policy asks for, and marks an object that
// has any finalizers.
func (r *resource) markFinalizers(content rest.Object, o deleteOptions) {
	have := finalizersOf(content)
	wanted := r.wantedFinalizer(have, o)
	want := slices.DeleteFunc(slices.Clone(have), func(f string) bool { return f != wanted && (f == orphan || f == foreground) })
	if wanted != "" && !slices.Contains(want, wanted) {
		want = append(want, wanted)
	}
	if !slices.Equal(have, want) {
		list := make([]any, len(want))
		for i, f := range want {
			list[i] = f
		}
		if len(list) == 0 {
			delete(meta(content), "finalizers")
		} else {
			meta(content)["finalizers"] = list
		}
	}
	if (len(want) > 0 || len(have) > 0) && content.String("metadata", "deletionTimestamp") == "" {
		mark(content, 0)
	}
}

// deleted is the Status that most deletes are answered with.
func (r *resource) deleted(o *object) *rest.Status {
	d := r.details(o.content.Name())
	d.UID = o.content.UID()
	return &rest.Status{Kind: "Status", APIVersion: "v1", Status: rest.StatusSuccess, Details: d}
}
