package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/kinds"
	"github.com/tideway-go/tideway/rest"
)

// part is one aspect of a kind: a script with an example of it.
type part struct {
	name string
	run  func(s *kindScript)
}

// parts are what is compared for every kind that is served by default.
var parts = []part{
	{"metadata", (*kindScript).metadata},
	{"content", (*kindScript).content},
	{"update", (*kindScript).update},
	{"status", (*kindScript).status},
	{"others", (*kindScript).others},
	{"fields", (*kindScript).fields},
	{"names", (*kindScript).names},
	{"deletion", (*kindScript).deletion},
}

// TestKinds compares both servers for every kind that is stored, with the example of the kind. Of
// content and status, only what the example sets is compared: fakeapi has few defaults.
func TestKinds(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare fakeapi with")
	}
	compareKinds(t, false, nil)
}

// TestKindsOffByDefault is TestKinds for the kinds that are served on request.
func TestKindsOffByDefault(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare fakeapi with")
	}
	all := conformance.Everything(t)
	var more []rest.Served
	for k := range rest.Kinds() {
		if k.OffByDefault {
			more = append(more, k)
		}
	}
	servers := func(t *testing.T) (real, fake conformance.Server) { return all, conformance.Fake(t, more...) }
	t.Run("discovery", func(t *testing.T) {
		row{name: "discovery of what is off by default", servers: servers, run: func(s *script) {
			s.define()
			s.byName("/api", "items", header("Accept", aggregated))
			s.byName("/apis", "items", header("Accept", aggregated))
		}}.compare(t)
	})
	compareKinds(t, true, servers)
}

// compareKinds compares two servers for the kinds that are off by default, or for all others.
func compareKinds(t *testing.T, off bool, servers func(*testing.T) (real, fake conformance.Server)) {
	for k := range rest.Kinds() {
		if k.OffByDefault != off || !slices.Contains(k.Verbs, "watch") {
			continue
		}
		for i, p := range parts {
			t.Run(strings.ReplaceAll(k.Kind.String(), "/", " ")+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				r := kindRow(t, &k, i)
				r.servers = servers
				r.compare(t)
			})
		}
	}
}

// notStored are the kinds of which there are no objects, with what is compared instead.
var notStored = map[string]string{
	"v1/Binding":         "what is only listed; pods have a subresource for it",
	"v1/ComponentStatus": "what is only listed",
	"authentication.k8s.io/v1/SelfSubjectReview":       "the rows of reviews",
	"authentication.k8s.io/v1/TokenReview":             "the rows of reviews",
	"authorization.k8s.io/v1/LocalSubjectAccessReview": "the rows of reviews",
	"authorization.k8s.io/v1/SelfSubjectAccessReview":  "the rows of reviews",
	"authorization.k8s.io/v1/SelfSubjectRulesReview":   "the rows of reviews",
	"authorization.k8s.io/v1/SubjectAccessReview":      "the rows of reviews",
}

// TestNotStored names the kinds that TestKinds cannot create.
func TestNotStored(t *testing.T) {
	found := map[string]string{}
	for k := range rest.Kinds() {
		if name := k.Kind.String(); !slices.Contains(k.Verbs, "watch") {
			found[name] = notStored[name]
		}
	}
	if d := cmp.Diff(notStored, found); d != "" {
		t.Errorf("kinds that are not stored (-known +served):\n%s", d)
	}
}

// kindRow returns the row of a part of a kind.
func kindRow(t *testing.T, k *rest.Served, i int) row {
	first, err := kinds.Of(k.Kind, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	shape := merged(merged(first.Object, first.Change), first.Status)
	delete(shape, "metadata")
	if first.Restless {
		delete(shape, "status")
	}
	r := row{
		name:  fmt.Sprintf("%s %s %s", k.Kind.Plural, k.Kind.Version, parts[i].name),
		shown: func(body any) any { return shownKind(body, shape, first.Restless) },
		lacks: lacksOf(k.Kind.Resource(), parts[i].name, first),
	}
	if k.Kind.Group == "events.k8s.io" {
		r.name = "new " + r.name
	}
	r.run = func(s *script) {
		ks := newKindScript(s, k, i)
		defer ks.cleanup()
		parts[i].run(ks)
	}
	return r
}

// shownKind reduces an object to its metadata, and to the members that the example sets.
func shownKind(body any, shape map[string]any, restless bool) any {
	doc, ok := body.(map[string]any)
	if !ok || doc["kind"] == "Status" || doc["metadata"] == nil {
		return body
	}
	out, _ := within(doc, shape).(map[string]any)
	for _, member := range []string{"kind", "apiVersion", "metadata", "names"} {
		if v, ok := doc[member]; ok {
			out[member] = v
		}
	}
	if m, ok := out["metadata"].(map[string]any); ok && restless {
		m = maps.Clone(m)
		delete(m, "resourceVersion")
		out["metadata"] = m
	}
	return out
}

// within returns the members of a value that a shape has as well.
func within(v, shape any) any {
	switch shape := shape.(type) {
	case map[string]any:
		m, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := map[string]any{}
		for name := range shape {
			if child, ok := m[name]; ok {
				out[name] = within(child, shape[name])
			}
		}
		return out
	case []any:
		list, ok := v.([]any)
		if !ok || len(shape) == 0 {
			return v
		}
		out := make([]any, len(list))
		for i := range list {
			out[i] = within(list[i], shape[min(i, len(shape)-1)])
		}
		return out
	}
	return v
}

// merged returns an object with a merge patch applied.
func merged(object, patch map[string]any) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range patch {
		if below, ok := value.(map[string]any); ok {
			old, _ := out[name].(map[string]any)
			value = merged(old, below)
		}
		out[name] = value
	}
	return out
}

// kindScript runs requests about the example of a kind.
type kindScript struct {
	*script
	kind       *rest.Served
	example    *kinds.Example
	collection string
	path       string // of the example
}

// newKindScript returns a script whose example nobody else uses at the same time.
func newKindScript(s *script, k *rest.Served, i int) *kindScript {
	var try int
	if _, err := fmt.Sscan(s.ns[strings.LastIndexByte(s.ns, '-')+1:], &try); err != nil {
		s.t.Fatal(err)
	}
	version := slices.Index(kinds.Versions, k.Kind.Version)
	e, err := kinds.Of(k.Kind, s.ns, ((try*len(kinds.Versions)+version)*len(parts)+i)%250+1) // a part of an address
	if err != nil {
		s.t.Fatal(err)
	}
	ks := &kindScript{script: s, kind: k, example: e, collection: "/apis/" + k.Kind.APIVersion()}
	if k.Kind.Group == "" {
		ks.collection = "/api/" + k.Kind.Version
	}
	if k.Kind.Namespaced {
		ks.collection += "/namespaces/$ns"
	}
	ks.collection += "/" + k.Kind.Plural
	ks.path = ks.collection + "/" + e.Name
	return ks
}

// cleanup deletes what is left of the example, which may be visible to other parts.
func (s *kindScript) cleanup() {
	if s.kind.Kind.Namespaced {
		return
	}
	s.send("PATCH", s.path, `{"metadata":{"finalizers":null}}`, header("Content-Type", "application/merge-patch+json"))
	s.send("DELETE", s.path+"?propagationPolicy=Background", "")
}

func (s *kindScript) encode(v any) string {
	s.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

// create creates the example, with metadata besides its name.
func (s *kindScript) create(metadata map[string]any) answer {
	s.t.Helper()
	return s.post(s.collection, s.encode(s.example.Body(metadata)))
}
