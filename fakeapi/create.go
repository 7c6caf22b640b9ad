package fakeapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// writeOptions are what a write may ask for.
type writeOptions struct {
	dryRun bool
	direct bool // by the test itself, not over HTTP: the status is kept

	// escalation refuses to grant rights that the user does not have; nil refuses nothing.
	escalation func(old, content rest.Object) *rest.Status

	validation string // how unknown and duplicate members are reported

	warn func(string) // adds a warning to the answer, if there is one
}

// warnAbout passes on what kube-apiserver warns about in an object that it stores.
func (o *writeOptions) warnAbout(r *resource, content rest.Object) {
	if o.warn == nil {
		return
	}
	for _, text := range r.contentWarnings(content) {
		o.warn(text)
	}
}

// systemMetadata is the metadata that clients cannot set.
var systemMetadata = []string{
	"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields",
}

// createOwn is create in a resource that has no hub.
func (t *tx) createOwn(r *resource, namespace string, content rest.Object, o writeOptions) (*object, *rest.Status) {
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
	named := content.Name() != ""
	t.beginLife(r, namespace, m, o)
	if !o.direct {
		r.beginByClient(content)
	}
	if st := t.prepare(r, content, named, o); st != nil {
		return nil, st
	}
	o.warnAbout(r, content)
	if content.ResourceVersion() != "" && !o.direct && !o.dryRun {
		return nil, internal("resourceVersion should not be set on objects to be created")
	}
	given := content.ResourceVersion()
	if !o.dryRun { // the storage drops it
		delete(m, "resourceVersion")
	}
	if there, ok := r.objects[key(namespace, content.Name())]; ok {
		return nil, r.taken(there, content)
	}
	delete(content, "kind")
	delete(content, "apiVersion")
	if o.dryRun {
		return &object{content: content}, nil
	}
	if st := t.adopt(r, content, given, o); st != nil {
		return nil, st
	}
	return t.insert(r, content, given), nil
}

// prepare fills in a new object and checks it.
func (t *tx) prepare(r *resource, content rest.Object, named bool, o writeOptions) *rest.Status {
	isNamespace := r.kind.Resource() == "namespaces"
	labels := maps.Clone(content.Map("metadata", "labels"))
	if isNamespace {
		addFinalizer(content)
	}
	r.setDefaults(content)
	if isNamespace && !named { // the label waits until the generated name is known to be valid
		meta(content)["labels"] = labels
	}
	emptyToNull(content, r.zero)
	causes := append(r.validate(content, r.traits.names), t.contentCauses(r, nil, content, "", o)...)
	if len(causes) > 0 {
		return r.invalid(content.Name(), causes...)
	}
	if isNamespace {
		nameLabel(content)
	}
	return nil
}

// adopt checks the metadata that the test has set itself: it is stored as it is, or refused.
func (t *tx) adopt(r *resource, content rest.Object, version string, o writeOptions) *rest.Status {
	if !o.direct {
		return nil
	}
	if content.String("metadata", "deletionTimestamp") != "" && len(finalizersOf(content)) == 0 &&
		content.Int("metadata", "deletionGracePeriodSeconds") == 0 && !r.namespaceEnds(content) {
		return r.invalid(content.Name(), valid.Invalid("metadata.deletionTimestamp", strconv.Quote(content.String("metadata", "deletionTimestamp")),
			"an object that is being deleted has finalizers or a grace period: without them it would be gone"))
	}
	if version == "" {
		return nil
	}
	switch v, err := strconv.ParseUint(version, 10, 64); {
	case err != nil || v == 0 || v > maxVersion:
		return r.invalid(content.Name(), valid.Invalid("metadata.resourceVersion", strconv.Quote(version), "a version is a positive number of at most 18 digits"))
	case v <= t.version && !t.filling:
		return r.invalid(content.Name(), valid.Invalid("metadata.resourceVersion", strconv.Quote(version),
			fmt.Sprintf("versions only grow, and the newest is %d: leave it out, or set it in Options.Objects", t.version)))
	}
	return nil
}

// maxVersion is the largest version that a test can set: there have to be some after it.
const maxVersion = 999_999_999_999_999_999

// nameTries is how many names are generated at most until one is free.
const nameTries = 8

// beginLife sets the metadata that the server gives to every new object.
//
// What the test has set itself stays.
func (s *store) beginLife(r *resource, namespace string, m map[string]any, o writeOptions) {
	if !o.direct {
		for _, name := range systemMetadata {
			delete(m, name)
		}
	}
	name, _ := m["name"].(string)
	if prefix, _ := m["generateName"].(string); prefix != "" && name == "" {
		for range nameTries {
			name = s.generateName(prefix)
			if r.objects[key(namespace, name)] == nil {
				break
			}
		}
		m["name"] = name
	}
	if value.IsEmpty(m["uid"]) {
		m["uid"] = s.newUID()
	}
	if value.IsEmpty(m["creationTimestamp"]) {
		m["creationTimestamp"] = now()
	}
	if r.traits.generation && (!o.direct || m["generation"] == nil || m["generation"] == int64(0)) {
		m["generation"] = int64(1) // the other kinds keep what a client sets
	}
}

// taken refuses a new object whose name another one has.
func (r *resource) taken(there *object, content rest.Object) *rest.Status {
	st := r.exists(content.Name())
	if content.String("metadata", "generateName") != "" {
		st.Message += ", the server was not able to generate a unique name for the object"
		st.Details.RetryAfterSeconds = 1
	}
	if there.content.String("metadata", "deletionTimestamp") != "" {
		st.Message = "object is being deleted: " + st.Message
	}
	return st
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
