package fakeapi

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"

	"github.com/tideway-go/tideway/fakeapi/internal/patch"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// Create stores a new object without any request, as the test's own hand, and
// returns it as it was stored. What is in its status is kept.
//
// obj is a [rest.Object], a map, a struct, or whatever encodes to the JSON of an
// object. Its kind and apiVersion say what it is; where a struct leaves them
// empty, the name of its type does ("Pod"). Namespaced objects without a
// namespace are put into "default". Refusals are [*rest.StatusError].
func (s *Server) Create(obj any) (rest.Object, error) {
	r, content, err := s.read(obj)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: create: %w", err)
	}
	s.mu.Lock()
	o, st := s.create(r, content.Namespace(), content, writeOptions{direct: true})
	s.unlock()
	return s.result("create", r, content, o, st)
}

// Update replaces a stored object, status and all. A resource version in obj
// has to be the newest; without one the object is replaced whatever it is.
func (s *Server) Update(obj any) (rest.Object, error) {
	r, content, err := s.read(obj)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: update: %w", err)
	}
	namespace, name := content.Namespace(), content.Name()
	s.mu.Lock()
	o, st := s.update(r, namespace, name, "", func(current rest.Object) (rest.Object, *rest.Status) {
		if content.ResourceVersion() == "" {
			meta(content)["resourceVersion"] = current.ResourceVersion()
		}
		return content, nil
	}, writeOptions{direct: true})
	s.unlock()
	return s.result("update", r, content, o, st)
}

// Apply creates an object, or replaces the one that is there.
func (s *Server) Apply(obj any) (rest.Object, error) {
	r, content, err := s.read(obj)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: apply: %w", err)
	}
	s.mu.Lock()
	_, exists := r.objects[key(content.Namespace(), content.Name())]
	s.mu.Unlock()
	if exists {
		return s.Update(obj)
	}
	return s.Create(obj)
}

// Merge changes a stored object by a merge patch, status and all:
//
//	server.Merge("Pod", "default", "nginx", `{"status":{"phase":"Running"}}`)
//
// kind is what [rest.Lookup] understands, or the Kind of a custom resource.
func (s *Server) Merge(kind, namespace, name, change string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: merge: %w", err)
	}
	if !stdjson.Valid([]byte(change)) {
		return s.result("patch", r, reference(namespace, name), nil, badRequest("invalid JSON patch"))
	}
	p, st := readMergePatch([]byte(change))
	var o *object
	if st == nil {
		s.mu.Lock()
		o, st = s.update(r, namespace, name, "", func(current rest.Object) (rest.Object, *rest.Status) {
			return patch.Merge(current, p), nil
		}, writeOptions{direct: true})
		s.unlock()
	}
	return s.result("patch", r, reference(namespace, name), o, st)
}

// Delete deletes an object as a DELETE without options does: with finalizers,
// or as a pod that has been given to a node, it is only marked. It returns the
// object's last state.
func (s *Server) Delete(kind, namespace, name string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: delete: %w", err)
	}
	s.mu.Lock()
	o, _, st := s.erase(r, namespace, name, deleteOptions{propagation: "Background"})
	s.unlock()
	return s.result("delete", r, reference(namespace, name), o, st)
}

// Remove takes an object away at once, finalizers or not.
func (s *Server) Remove(kind, namespace, name string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: remove: %w", err)
	}
	s.mu.Lock()
	var st *rest.Status
	o, ok := r.objects[key(namespace, name)]
	if ok {
		o = s.remove(r, o)
	} else {
		st = r.notFound(name)
	}
	s.unlock()
	return s.result("delete", r, reference(namespace, name), o, st)
}

// Get returns an object as it is stored.
func (s *Server) Get(kind, namespace, name string) (rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: get: %w", err)
	}
	s.mu.Lock()
	o, ok := r.objects[key(namespace, name)]
	s.mu.Unlock()
	var st *rest.Status
	if !ok {
		st = r.notFound(name)
	}
	return s.result("get", r, reference(namespace, name), o, st)
}

// List returns the objects of a namespace, or of all for "", sorted by
// namespace and name.
func (s *Server) List(kind, namespace string) ([]rest.Object, error) {
	r, err := s.lookup(kind)
	if err != nil {
		return nil, fmt.Errorf("fakeapi: list: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []rest.Object
	for _, k := range r.sortedKeys(r.objects, namespace) {
		out = append(out, withType(value.CloneMap(r.objects[k].content), r.kind))
	}
	return out, nil
}

// reference is an object of which only the name is known.
func reference(namespace, name string) rest.Object {
	return rest.Object{"metadata": map[string]any{"namespace": namespace, "name": name}}
}

// result is what the methods above return.
func (s *Server) result(op string, r *resource, ref rest.Object, o *object, st *rest.Status) (rest.Object, error) {
	if st != nil {
		name := ref.Name()
		if ns := ref.Namespace(); ns != "" {
			name = ns + "/" + name
		}
		return nil, fmt.Errorf("fakeapi: %w", &rest.StatusError{Op: op, Resource: r.kind.Resource(), Object: name, Status: *st})
	}
	if op != "get" {
		s.settle(r)
	}
	return withType(value.CloneMap(o.content), r.kind), nil
}

// read encodes an object of the caller's, and finds what it is.
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
	m := meta(*content)
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
	for _, r := range s.order {
		switch {
		case !r.custom || r.kind.Kind != kind && r.kind.String() != kind:
		case found != nil:
			return nil, fmt.Errorf("kind %q is %s and %s: say which", kind, found.kind.String(), r.kind.String())
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
	r := s.resources[resourceKey(k.Group, k.Version, k.Plural)]
	if r == nil || r.reviewed {
		return nil, fmt.Errorf("kind %q is not stored", kind)
	}
	return r, nil
}
