package fakeapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/rest"
)

// writeOptions are what a write may ask for.
type writeOptions struct {
	dryRun bool
	direct bool // by the test itself, not over HTTP: the status is kept

	// escalation refuses to grant rights that the user does not have; nil refuses nothing.
	escalation func(old, content rest.Object) *rest.Status

	validation string // how unknown and duplicate members are reported
}

// systemMetadata is the metadata that clients cannot set.
var systemMetadata = []string{
	"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields",
}

// create stores a new object. It takes over the content.
func (t *tx) create(r *resource, namespace string, content rest.Object, o writeOptions) (*object, *rest.Status) {
	if st := placeInNamespace(content, namespace); st != nil {
		return nil, st
	}
	m := meta(content)
	if st := t.checkNamespace(r, namespace, content.Name()); st != nil {
		return nil, st
	}
	if o.escalation != nil {
		if st := o.escalation(nil, content); st != nil {
			return nil, st
		}
	}
	t.beginLife(r, m)
	if !o.direct {
		r.beginByClient(content)
	}
	r.setDefaults(content)
	emptyToNull(content, r.zero)
	causes := append(r.validate(content), t.contentCauses(r, content, o)...)
	if len(causes) > 0 {
		return nil, r.invalid(content.Name(), causes...)
	}
	if content.ResourceVersion() != "" && !o.direct {
		return nil, internal("resourceVersion should not be set on objects to be created")
	}
	delete(m, "resourceVersion")
	if _, ok := r.objects[key(namespace, content.Name())]; ok {
		return nil, r.exists(content.Name())
	}
	delete(content, "kind")
	delete(content, "apiVersion")
	if o.dryRun {
		return &object{content: content}, nil
	}
	return t.insert(r, content), nil
}

// beginLife sets the metadata that the server gives to every new object.
func (s *store) beginLife(r *resource, m map[string]any) {
	for _, name := range systemMetadata {
		delete(m, name)
	}
	name, _ := m["name"].(string)
	if prefix, _ := m["generateName"].(string); prefix != "" && name == "" {
		m["name"] = s.generateName(prefix)
	}
	m["uid"], m["creationTimestamp"] = s.newUID(), now()
	if r.traits.generation {
		m["generation"] = int64(1) // the other kinds keep what a client sets
	}
}

// beginByClient makes of a new object what kube-apiserver makes of one that a client creates. What
// the test itself creates is stored as given.
func (r *resource) beginByClient(content rest.Object) {
	if r.status && !r.traits.status {
		delete(content, "status")
	}
	have := finalizersOf(content)
	for _, f := range r.traits.finalizers {
		if !slices.Contains(have, f) {
			meta(content)["finalizers"] = append(content.Slice("metadata", "finalizers"), f)
		}
	}
}

// checkNamespace refuses a new object whose namespace does not exist, or is ending.
func (s *store) checkNamespace(r *resource, namespace, name string) *rest.Status {
	if !r.kind.Namespaced || s.options.AnyNamespace {
		return nil
	}
	namespaces := s.find("", "namespaces")
	if namespaces == nil {
		return nil
	}
	ns, ok := namespaces.objects[key("", namespace)]
	if !ok {
		return namespaces.notFound(namespace)
	}
	if ns.content.String("metadata", "deletionTimestamp") == "" {
		return nil
	}
	d := r.details(name)
	d.Causes = []rest.StatusCause{{
		Type: "NamespaceTerminating", Message: "namespace " + namespace + " is being terminated", Field: "metadata.namespace",
	}}
	return failure(http.StatusForbidden, rest.ReasonForbidden,
		fmt.Sprintf("%s %q is forbidden: unable to create new content in namespace %s because it is being terminated",
			r.kind.Resource(), name, namespace), d)
}

// placeInNamespace gives an object the namespace of the request, or refuses it if it has another
// one.
func placeInNamespace(content rest.Object, namespace string) *rest.Status {
	switch own := content.Namespace(); {
	case own == namespace:
	case namespace == "":
		delete(meta(content), "namespace")
	case own == "":
		meta(content)["namespace"] = namespace
	default:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
