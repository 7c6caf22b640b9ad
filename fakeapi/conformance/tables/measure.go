package tables

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance/kinds"
	"github.com/tideway-go/tideway/rest"
)

// traits are what sets a kind apart, as far as it can be seen from outside.
type traits struct {
	generation  bool     // a new object has the generation 1
	raises      []string // what raises it: content, labels, annotations
	finalizers  []string // that every new object gets
	status      bool     // a new object keeps the status that it comes with
	keeps       []string // metadata that a write of the status does not change
	returns     bool     // a delete answers with the object
	orphans     bool     // a delete without a policy orphans the dependents
	independent bool     // a delete leaves the dependents to nobody: the policy means nothing
	conditional bool     // an update needs a resource version
	creates     bool     // an update creates an object that is not there
	names       string   // the rule for names, "" for subdomains
	key         string   // under which objects are stored, "" for the plural
	placeless   bool     // objects cannot be selected by their namespace
	fields      []string // by which objects can be selected besides
	deprecated  string   // the warning of every answer
	unknown     string   // what is said about other fields, "" for the usual words
}

// measuring is the measurement of one kind.
type measuring struct {
	*client
	kind    rest.Kind
	parts   []string // subresources
	path    string
	example *kinds.Example
	traits  traits
}

const (
	measured = "traits" // the namespace in which objects are made
	workers  = 4
)

// measure measures the kinds that a filter selects, each with its example.
func (c *client) measure(ctx context.Context, all []rest.Served, wanted func(*rest.Served) bool) (map[rest.Kind]traits, error) {
	namespace := map[string]any{"metadata": map[string]any{"name": measured}}
	if r, err := c.send(ctx, http.MethodPost, "/api/v1/namespaces", namespace); err != nil || r.code != http.StatusCreated {
		return nil, errors.Join(err, r.want(http.StatusCreated))
	}
	var mu sync.Mutex
	var failed error
	found := map[rest.Kind]traits{}
	var group sync.WaitGroup
	queue := make(chan int)
	for range workers {
		group.Go(func() {
			for i := range queue {
				t, err := c.measureOne(ctx, &all[i], i+1)
				mu.Lock()
				if found[all[i].Kind] = t; err != nil {
					failed = errors.Join(failed, fmt.Errorf("%s: %w", all[i].Kind, err))
				}
				mu.Unlock()
			}
		})
	}
	for i := range all {
		if canWatch(&all[i]) && wanted(&all[i]) {
			queue <- i
		}
	}
	close(queue)
	group.Wait()
	return found, failed
}

// measureOne measures a kind with its n-th example.
func (c *client) measureOne(ctx context.Context, s *rest.Served, n int) (traits, error) {
	e, err := kinds.Of(s.Kind, measured, n)
	if err != nil {
		return traits{}, err
	}
	m := &measuring{client: c, kind: s.Kind, parts: s.Subresources, path: pathOf(s.Kind, measured), example: e}
	for _, step := range []func(context.Context) error{
		m.absent, m.creation, m.updates, m.statusWrites, m.names, m.selectors, m.deletion,
	} {
		if err := step(ctx); err != nil {
			return traits{}, err
		}
	}
	return m.traits, nil
}

// pathOf is the path of a collection.
func pathOf(k rest.Kind, namespace string) string {
	path := "/apis/" + k.APIVersion()
	if k.Group == "" {
		path = "/api/" + k.Version
	}
	if k.Namespaced {
		path += "/namespaces/" + namespace
	}
	return path + "/" + k.Plural
}

func (m *measuring) object() string { return m.path + "/" + m.example.Name }

// absent measures an update of an object that does not exist.
func (m *measuring) absent(ctx context.Context) error {
	r, err := m.send(ctx, http.MethodPut, m.object(), m.example.Body(nil))
	if err != nil {
		return err
	}
	if m.traits.creates = r.code == http.StatusCreated; !m.traits.creates {
		return nil
	}
	_, err = m.send(ctx, http.MethodDelete, m.object(), nil)
	return err
}

// creation measures what a new object has.
func (m *measuring) creation(ctx context.Context) error {
	const wanted = 7
	body := m.example.Body(map[string]any{"generation": wanted})
	maps.Copy(body, m.example.Status)
	r, err := m.send(ctx, http.MethodPost, m.path, body)
	if err != nil {
		return err
	}
	if err := r.want(http.StatusCreated); err != nil {
		return err
	}
	m.traits.generation = r.generation() == 1
	if !m.traits.generation && r.generation() != wanted {
		return fmt.Errorf("the generation of a new object is %d", r.generation())
	}
	finalizers, _ := r.at("metadata", "finalizers").([]any)
	for _, f := range finalizers {
		m.traits.finalizers = append(m.traits.finalizers, fmt.Sprint(f))
	}
	m.traits.status = len(m.example.Status) > 0 && contains(r.doc["status"], m.example.Status["status"])
	return nil
}

// contains reports whether an object has all members of another one.
func contains(have, want any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return cmp.Equal(have, want)
	}
	h, ok := have.(map[string]any)
	for name := range w {
		ok = ok && contains(h[name], w[name])
	}
	return ok
}

// updates measures what raises the generation, and whether an update needs a version.
func (m *measuring) updates(ctx context.Context) error {
	last, err := m.send(ctx, http.MethodGet, m.object(), nil)
	if err != nil {
		return err
	}
	for _, change := range []struct {
		name string
		body map[string]any
	}{
		{"labels", map[string]any{"metadata": map[string]any{"labels": map[string]any{"l": "a"}}}},
		{"annotations", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"a": "a"}}}},
		{"content", m.example.Change},
	} {
		r, err := m.send(ctx, http.MethodPatch, m.object(), change.body)
		if err != nil {
			return err
		}
		if err := r.want(http.StatusOK); err != nil {
			if change.name == "content" && m.example.Fixed != "" {
				continue
			}
			return fmt.Errorf("change of %s: %w", change.name, err)
		}
		if r.generation() > last.generation() {
			m.traits.raises = append(m.traits.raises, change.name)
		}
		last = r
	}
	body := maps.Clone(last.doc)
	body["metadata"] = m.example.Body(nil)["metadata"]
	r, err := m.send(ctx, http.MethodPut, m.object(), body)
	m.traits.conditional = r.refuses("metadata.resourceVersion")
	if err != nil || m.traits.conditional {
		return err
	}
	if err := r.want(http.StatusOK); err != nil {
		return fmt.Errorf("update without a version: %w", err)
	}
	return nil
}

// writtenMetadata is the metadata that clients write, sorted.
var writtenMetadata = []string{"annotations", "finalizers", "labels", "ownerReferences"}

// statusWrites measures which metadata a write of the status keeps.
func (m *measuring) statusWrites(ctx context.Context) error {
	if len(m.example.Status) == 0 {
		if slices.Contains(m.parts, "status") {
			return errors.New("the example has no status")
		}
		return nil
	}
	body := maps.Clone(m.example.Status)
	changes := map[string]any{
		"labels": map[string]any{"s": "b"}, "annotations": map[string]any{"s": "b"}, "finalizers": []any{"example.com/s"},
		"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "00000000-0000-4000-8000-00000000000f"}},
	}
	body["metadata"] = changes
	r, err := m.send(ctx, http.MethodPatch, m.object()+"/status", body)
	if err != nil {
		return err
	}
	if err := r.want(http.StatusOK); err != nil {
		return fmt.Errorf("write of the status: %w", err)
	}
	for _, name := range writtenMetadata {
		if have := r.at("metadata", name); !contains(have, changes[name]) {
			m.traits.keeps = append(m.traits.keeps, name)
		}
	}
	return nil
}

// names measures which names are accepted, and where objects are stored.
func (m *measuring) names(ctx context.Context) error {
	if !strings.HasPrefix(m.example.Name, "example-") {
		return m.key(ctx)
	}
	accepts := map[string]bool{}
	for _, name := range []string{"a.b", "A:b"} {
		r, err := m.send(ctx, http.MethodPost, m.path+"?dryRun=All", m.example.Body(map[string]any{"name": name}))
		if err != nil {
			return err
		}
		accepts[name] = !r.refuses("metadata.name")
	}
	switch {
	case accepts["A:b"]:
		m.traits.names = "pathSegment"
	case !accepts["a.b"]:
		m.traits.names = "label"
	}
	return m.key(ctx)
}

// key measures where objects are stored, which some refusals show.
func (m *measuring) key(ctx context.Context) error {
	r, err := m.send(ctx, http.MethodPut, m.object(), m.example.Body(map[string]any{"uid": "00000000-0000-4000-8000-00000000000e"}))
	if err != nil {
		return err
	}
	_, after, ok := strings.Cut(r.text("message"), "Key: /registry/")
	place := "/" + m.example.Name + ","
	if m.kind.Namespaced {
		place = "/" + measured + place
	}
	key, _, ended := strings.Cut(after, place)
	if !ok || !ended {
		return fmt.Errorf("update with another uid: %d %s", r.code, r.text("message"))
	}
	if key != m.kind.Plural {
		m.traits.key = key
	}
	return nil
}

// deletion measures how an object is deleted.
func (m *measuring) deletion(ctx context.Context) error {
	if _, err := m.send(ctx, http.MethodPatch, m.object(), map[string]any{"metadata": map[string]any{"finalizers": nil}}); err != nil {
		return err
	}
	r, err := m.send(ctx, http.MethodDelete, m.object()+"?dryRun=All&propagationPolicy=Orphan", nil)
	if err != nil {
		return err
	}
	m.traits.independent = !r.orphaning()
	if r, err = m.send(ctx, http.MethodDelete, m.object(), nil); err != nil {
		return err
	}
	if err := r.want(http.StatusOK); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	m.traits.orphans = r.orphaning()
	if m.traits.orphans {
		if r, err = m.send(ctx, http.MethodDelete, m.object()+"?propagationPolicy=Background", nil); err != nil {
			return err
		}
	}
	m.traits.returns = r.text("kind") != "Status"
	return nil
}

// orphaning reports whether an object waits until its dependents are orphaned.
func (r reply) orphaning() bool {
	finalizers, _ := r.at("metadata", "finalizers").([]any)
	return slices.Contains(finalizers, any("orphan"))
}
