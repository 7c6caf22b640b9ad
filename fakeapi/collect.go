package fakeapi

import (
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// unlock ends a write: what the write has left to be collected is collected
// first, so that nobody sees the state between.
func (s *Server) unlock() {
	if s.collecting {
		s.collect()
	}
	s.mu.Unlock()
}

// ownedBy is an object and one of its owner references.
type ownedBy struct {
	r   *resource
	obj *object
	ref rest.Object
}

// collect does what the garbage collector of a cluster does, until there is
// nothing left to do. The order is that of the kinds and of the names. The caller
// holds the mutex.
func (s *Server) collect() {
	for {
		before := s.version
		for _, r := range s.order {
			for _, k := range r.sortedKeys(r.objects, "") {
				if obj, ok := r.objects[k]; ok {
					s.collectOne(r, obj)
				}
			}
		}
		if s.version == before {
			return
		}
	}
}

// collectOne does what one object needs.
func (s *Server) collectOne(r *resource, obj *object) {
	have := finalizersOf(obj.content)
	deleted := obj.content.String("metadata", "deletionTimestamp") != ""
	switch {
	case deleted && slices.Contains(have, orphan):
		for _, d := range s.dependents(obj) {
			s.changeOwners(d.r, d.obj, func(ref rest.Object) bool { return ref.String("uid") != obj.content.UID() })
		}
		s.dropFinalizer(r, obj, orphan)
	case deleted && slices.Contains(have, foreground):
		if !slices.ContainsFunc(s.dependents(obj), func(d ownedBy) bool { return d.ref["blockOwnerDeletion"] == true }) {
			s.dropFinalizer(r, obj, foreground)
		}
	case !deleted && len(obj.content.Slice("metadata", "ownerReferences")) > 0:
		s.collectOwned(r, obj)
	}
}

// standing is what an owner is to what it owns.
type standing int

const (
	gone    standing = iota
	solid            // it lives, or dies without waiting
	waiting          // it dies once what it owns is gone
	unknown          // its kind is not served
)

// standingOf tells what an owner is.
func (s *Server) standingOf(obj *object, ref rest.Object) standing {
	for _, r := range s.order {
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

// isWaiting tells that an object dies once what it owns is gone.
func isWaiting(o *object) bool {
	return o.content.String("metadata", "deletionTimestamp") != "" && slices.Contains(finalizersOf(o.content), foreground)
}

// collectOwned deletes an object that nobody owns any more, and takes owners
// away from one that still has another.
func (s *Server) collectOwned(r *resource, obj *object) {
	count := map[standing]int{}
	for _, v := range obj.content.Slice("metadata", "ownerReferences") {
		ref, _ := v.(map[string]any)
		count[s.standingOf(obj, ref)]++
	}
	switch {
	case count[unknown] > 0:
		return
	case count[solid] > 0:
		if count[gone]+count[waiting] > 0 {
			s.changeOwners(r, obj, func(ref rest.Object) bool { return s.standingOf(obj, ref) == solid })
		}
		return
	}
	o := deleteOptions{propagation: "Background"}
	dependents := s.dependents(obj)
	have := finalizersOf(obj.content)
	switch {
	case count[waiting] > 0 && len(dependents) > 0:
		o.propagation = "Foreground"
		if slices.ContainsFunc(dependents, func(d ownedBy) bool { return isWaiting(d.obj) }) {
			obj = s.unblockOwners(r, obj) // they wait for each other
		}
	case slices.Contains(have, orphan):
		o.propagation = "Orphan"
	case slices.Contains(have, foreground):
		o.propagation = "Foreground"
	}
	_, _, _ = s.erase(r, obj.content.Namespace(), obj.content.Name(), o) // it is there
}

// dependents returns what an object owns.
func (s *Server) dependents(owner *object) []ownedBy {
	var out []ownedBy
	uid := owner.content.UID()
	for _, r := range s.order {
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

// changeOwners keeps some of an object's owner references.
func (s *Server) changeOwners(r *resource, obj *object, stays func(ref rest.Object) bool) {
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
	s.replace(r, obj, content)
}

// unblockOwners lets the owners of an object go before it.
func (s *Server) unblockOwners(r *resource, obj *object) *object {
	content := rest.Object(value.CloneMap(obj.content))
	for _, v := range content.Slice("metadata", "ownerReferences") {
		if ref, ok := v.(map[string]any); ok {
			ref["blockOwnerDeletion"] = false
		}
	}
	return s.replace(r, obj, content)
}

// dropFinalizer removes a finalizer, and the object if it was the last.
func (s *Server) dropFinalizer(r *resource, obj *object, name string) {
	_, _ = s.update(r, obj.content.Namespace(), obj.content.Name(), "", func(current rest.Object) (rest.Object, *rest.Status) {
		list := slices.DeleteFunc(current.Slice("metadata", "finalizers"), func(v any) bool { return v == name })
		if len(list) == 0 {
			delete(meta(current), "finalizers")
		} else {
			meta(current)["finalizers"] = list
		}
		return current, nil
	}, writeOptions{direct: true}) // it is there, and was valid before
}
