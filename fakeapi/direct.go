package fakeapi

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// Create stores a new object without any request, as the test's own hand, and returns it as it was
// stored. Its status is kept, and so is metadata that the server usually sets: uid,
// creationTimestamp, generation, deletionTimestamp, managedFields. A resource version has to be
// newer than all others, see [Server.ResourceVersion]. An object that is being deleted needs
// finalizers or a grace period.
//
// obj is a [rest.Object], a map, a struct, or anything that encodes to the JSON of an object. Its
// kind and apiVersion say what it is; if a struct leaves them empty, the name of its type does
// ("Pod"). Namespaced objects without a namespace are put into "default". Refusals are
// [*rest.StatusError].
func (s *Server) Create(obj any) (rest.Object, error) {
	r, content, err := s.read(obj)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: create: %w", err)
	}
	return s.direct("create", r, content, func(t *tx) (*object, *rest.Status) {
		return t.create(r, content.Namespace(), content, writeOptions{direct: true})
	})
}

// Update replaces a stored object, status and all. A resource version in obj has to be the newest;
// without one, the object is replaced whatever its version. The creationTimestamp, the generation
// and the managedFields are kept if obj has them; its uid and its deletionTimestamp cannot change.
func (s *Server) Update(obj any) (rest.Object, error) {
	r, content, err := s.read(obj)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: update: %w", err)
	}
	return s.direct("update", r, content, func(t *tx) (*object, *rest.Status) { return t.overwrite(r, content) })
}

// overwrite replaces an object, whatever its version if the content has none.
func (t *tx) overwrite(r *resource, content rest.Object) (*object, *rest.Status) {
	return t.update(r, content.Namespace(), content.Name(), "", func(current rest.Object) (rest.Object, *rest.Status) {
		if content.ResourceVersion() == "" {
			meta(content)["resourceVersion"] = current.ResourceVersion()
		}
		return content, nil
	}, writeOptions{direct: true})
}

// Apply creates an object, or replaces the one that exists.
func (s *Server) Apply(obj any) (rest.Object, error) {
	r, content, err := s.read(obj)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: apply: %w", err)
	}
	op := "create"
	if _, exists := s.store.object(r, content.Namespace(), content.Name()); exists {
		op = "update"
	}
	return s.direct(op, r, content, func(t *tx) (*object, *rest.Status) {
		if _, exists := r.objects[keyOf(content)]; exists {
			return t.overwrite(r, content)
		}
		return t.create(r, content.Namespace(), content, writeOptions{direct: true})
	})
}

// Merge changes a stored object by a merge patch, status and all:
//
//	server.Merge("Pod", "default", "nginx", `{"status":{"phase":"Running"}}`)
//
// kind is anything that [rest.Lookup] understands, or the Kind of a custom resource.
func (s *Server) Merge(kind, namespace, name, patch string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: merge: %w", err)
	}
	ref := reference(namespace, name)
	if !stdjson.Valid([]byte(patch)) {
		return r.result("patch", ref, nil, badRequest("invalid JSON patch"))
	}
	p, st := readMergePatch([]byte(patch))
	if st != nil {
		return r.result("patch", ref, nil, st)
	}
	return s.direct("patch", r, ref, func(t *tx) (*object, *rest.Status) {
		return t.update(r, namespace, name, "", merging(p), writeOptions{direct: true})
	})
}

// Delete deletes an object as a DELETE without options does: an object with finalizers, and a pod
// that has been given to a node, is only marked. It returns the last state of the object.
func (s *Server) Delete(kind, namespace, name string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: delete: %w", err)
	}
	return s.direct("delete", r, reference(namespace, name), func(t *tx) (*object, *rest.Status) {
		o, _, st := t.erase(r, namespace, name, deleteOptions{propagation: "Background"})
		return o, st
	})
}

// Remove takes an object away at once, whether it has finalizers or not.
func (s *Server) Remove(kind, namespace, name string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: remove: %w", err)
	}
	return s.direct("delete", r, reference(namespace, name), func(t *tx) (*object, *rest.Status) {
		if o, ok := r.objects[key(namespace, name)]; ok {
			return t.remove(r, o), nil
		}
		return nil, r.notFound(name)
	})
}

// Get returns an object as it is stored.
func (s *Server) Get(kind, namespace, name string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: get: %w", err)
	}
	o, ok := s.store.object(r, namespace, name)
	var st *rest.Status
	if !ok {
		st = r.notFound(name)
	}
	return r.result("get", reference(namespace, name), o, st)
}

// List returns the objects of a namespace, or of all for "", sorted by namespace and name.
func (s *Server) List(kind, namespace string) ([]rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: list: %w", err)
	}
	var out []rest.Object
	s.store.read(func() {
		for _, k := range r.sortedKeys(r.objects, namespace) {
			out = append(out, withType(value.CloneMap(r.objects[k].content), r.kind))
		}
	})
	return out, nil
}

// direct is a write of the test's own.
func (s *Server) direct(op string, r *resource, ref rest.Object, f func(t *tx) (*object, *rest.Status)) (rest.Object, error) {
	var o *object
	st := s.store.write(func(t *tx) (st *rest.Status) {
		o, st = f(t)
		return st
	})
	return r.result(op, ref, o, st)
}

// reference is an object that only has a name.
func reference(namespace, name string) rest.Object {
	return rest.Object{"metadata": map[string]any{"namespace": namespace, "name": name}}
}

// result is what the methods above return.
func (r *resource) result(op string, ref rest.Object, o *object, st *rest.Status) (rest.Object, error) {
	if st != nil {
		name := ref.Name()
		if ns := ref.Namespace(); ns != "" {
			name = ns + "/" + name
		}
		return nil, fmt.Errorf("fakeapi: %w", &rest.StatusError{Op: op, Resource: r.kind.Resource(), Object: name, Status: *st})
	}
	return withType(value.CloneMap(o.content), r.kind), nil
}

// read encodes an object of the caller, and finds its resource.
func (s *Server) read(obj any) (*resource, rest.Object, error) {
	raw, err := rest.Encode(obj)
	if err != nil {
		return nil, nil, err
	}
	content, err := rest.Decode[rest.Object](raw)
	if err != nil {
		return nil, nil, err
	}
	kind := content.Kind()
	if v := content.APIVersion(); v != "" && kind != "" {
		kind = v + "/" + kind
	}
	if kind == "" {
		kind = typeName(obj)
	}
	r, err := s.lookup(kind)
	if err != nil {
		return nil, nil, err
	}
	if err := metaTypeError(raw); err != nil {
		return nil, nil, errors.New(r.typeProblem(err))
	}
	m := meta(*content)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	switch {
	case !r.kind.Namespaced:
		delete(m, "namespace")
	case content.Namespace() == "":
		m["namespace"] = "default"
	}
	return r, *content, nil
}

// typeName returns the name of a struct's type.
func typeName(obj any) string {
	t := reflect.TypeOf(obj)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return ""
	}
	return t.Name()
}

// lookup finds a resource by the name of its kind.
func (s *Server) lookup(kind string) (*resource, error) {
	var found *resource
	for _, r := range s.store.order {
		switch {
		case !r.custom || r.kind.Kind != kind && r.kind.String() != kind:
		case found != nil:
			return nil, fmt.Errorf("kind %q is ambiguous: say %s or %s", kind, found.kind.String(), r.kind.String())
		default:
			found = r
		}
	}
	if found != nil {
		return found, nil
	}
	k, err := rest.Lookup(kind)
	if err != nil {
		return nil, err
	}
	r := s.store.resources[resourceKey(k.Group, k.Version, k.Plural)]
	if r == nil || r.reviewed || r.listed {
		return nil, fmt.Errorf("kind %q is not stored", kind)
	}
	return r, nil
}
