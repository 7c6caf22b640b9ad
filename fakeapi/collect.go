package fakeapi

import (
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// ownedBy is an object and one of its owner references.
type ownedBy struct {
	r   *resource
	obj *object
	ref rest.Object
}

// collect does what the garbage collector of a cluster does, until there is nothing left to do. It
// goes by the order of kinds and names.
func (t *tx) collect() {
	for {
		before := t.version
		for _, r := range t.order {
			if r.shadow {
				continue
			}
			for _, k := range r.sortedKeys(r.objects, "") {
				if obj, ok := r.objects[k]; ok {
					t.collectOne(r, obj)
				}
			}
		}
		if t.version == before {
			return
		}
	}
}

// collectOne does what one object needs.
func (t *tx) collectOne(r *resource, obj *object) {
	have := finalizersOf(obj.content)
	deleted := obj.content.String("metadata", "deletionTimestamp") != ""
	switch {
	case deleted && slices.Contains(have, orphan):
		for _, d := range t.dependents(obj) {
			t.changeOwners(d.r, d.obj, func(ref rest.Object) bool { return ref.String("uid") != obj.content.UID() })
		}
		t.dropFinalizer(r, obj, orphan)
	case deleted && slices.Contains(have, foreground):
		if !slices.ContainsFunc(t.dependents(obj), func(d ownedBy) bool { return d.ref["blockOwnerDeletion"] == true }) {
			t.dropFinalizer(r, obj, foreground)
		}
	case !deleted && len(obj.content.Slice("metadata", "ownerReferences")) > 0:
		t.collectOwned(r, obj)
	}
}

// standing is the state of an owner, as it concerns what it owns.
type standing int

const (
	gone    standing = iota
	solid            // it lives, or goes without waiting
	waiting          // it goes once what it owns is gone
	unknown          // its kind is not served
)

// standingOf returns the state of the owner that a reference names.
func (t *tx) standingOf(obj *object, ref rest.Object) standing {
	for _, r := range t.order {
		if r.kind.Kind != ref.String("kind") || r.kind.APIVersion() != ref.String("apiVersion") {
			continue
		}
		namespace := obj.content.Namespace()
		if !r.kind.Namespaced {
			namespace = ""
		} else if namespace == "" {
			return unknown
		}
		owner, ok := r.objects[key(namespace, ref.String("name"))]
		switch {
		case !ok || owner.content.UID() != ref.String("uid"):
			return gone
		case isWaiting(owner):
			return waiting
		}
		return solid
	}
	return unknown
}

// isWaiting reports whether an object goes once what it owns is gone.
func isWaiting(o *object) bool {
	return o.content.String("metadata", "deletionTimestamp") != "" && slices.Contains(finalizersOf(o.content), foreground)
}

// collectOwned deletes an object whose owners are all gone, and removes those that are gone from an
// object that still has another owner.
func (t *tx) collectOwned(r *resource, obj *object) {
	count := map[standing]int{}
	for _, v := range obj.content.Slice("metadata", "ownerReferences") {
		ref, _ := v.(map[string]any)
		count[t.standingOf(obj, ref)]++
	}
	switch {
	case count[unknown] > 0:
		return
	case count[solid] > 0:
		if count[gone]+count[waiting] > 0 {
			t.changeOwners(r, obj, func(ref rest.Object) bool { return t.standingOf(obj, ref) == solid })
		}
		return
	}
	o := deleteOptions{propagation: "Background"}
	dependents := t.dependents(obj)
	have := finalizersOf(obj.content)
	switch {
	case count[waiting] > 0 && len(dependents) > 0:
		o.propagation = "Foreground"
		if slices.ContainsFunc(dependents, func(d ownedBy) bool { return isWaiting(d.obj) }) {
			obj = t.unblockOwners(r, obj) // they wait for each other
		}
	case slices.Contains(have, orphan):
		o.propagation = "Orphan"
	case slices.Contains(have, foreground):
		o.propagation = "Foreground"
	}
	_, _, _ = t.erase(r, obj.content.Namespace(), obj.content.Name(), o) // it is there
}

// dependents returns the objects that an object owns.
func (t *tx) dependents(owner *object) []ownedBy {
	var out []ownedBy
	uid := owner.content.UID()
	for _, r := range t.order {
		if r.shadow {
			continue
		}
		for _, k := range r.sortedKeys(r.objects, "") {
			obj := r.objects[k]
			for _, v := range obj.content.Slice("metadata", "ownerReferences") {
				if ref, _ := v.(map[string]any); ref["uid"] == uid {
					out = append(out, ownedBy{r, obj, ref})
				}
			}
		}
	}
	return out
}

// changeOwners keeps the owner references of an object for which stays returns true.
func (t *tx) changeOwners(r *resource, obj *object, stays func(ref rest.Object) bool) {
	content := rest.Object(value.CloneMap(obj.content))
	refs := slices.DeleteFunc(content.Slice("metadata", "ownerReferences"), func(v any) bool {
		ref, _ := v.(map[string]any)
		return !stays(ref)
	})
	if len(refs) == 0 {
		delete(meta(content), "ownerReferences")
	} else {
		meta(content)["ownerReferences"] = refs
	}
	t.replace(r, obj, content)
}

// unblockOwners lets the owners of an object go before it does.
func (t *tx) unblockOwners(r *resource, obj *object) *object {
	content := rest.Object(value.CloneMap(obj.content))
	for _, v := range content.Slice("metadata", "ownerReferences") {
		if ref, ok := v.(map[string]any); ok {
			ref["blockOwnerDeletion"] = false
		}
	}
	return t.replace(r, obj, content)
}

// dropFinalizer removes a finalizer, and the object if it was the last.
func (t *tx) dropFinalizer(r *resource, obj *object, name string) {
	_, _ = t.update(r, obj.content.Namespace(), obj.content.Name(), "", func(current rest.Object) (rest.Object, *rest.Status) {
		list := slices.DeleteFunc(current.Slice("metadata", "finalizers"), func(v any) bool { return v == name })
		if len(list) == 0 {
			delete(meta(current), "finalizers")
		} else {
			meta(current)["finalizers"] = list
		}
		return current, nil
	}, writeOptions{direct: true}) // it is there, and was valid before
}
