package kinds

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A kind that is stored has an example, and an example belongs to a kind.
func TestExamples(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for s := range rest.Kinds() {
		known[s.Kind.String()] = true
		if !slices.Contains(s.Verbs, "watch") {
			continue
		}
		e, err := Of(s.Kind, "default", 7)
		switch {
		case err != nil:
			t.Error(err)
		case e.Name == "" || e.Object == nil || len(e.Change) == 0:
			t.Errorf("%s: the example is not complete", s.Kind)
		case slices.Contains(s.Subresources, "status") != (len(e.Status) > 0):
			t.Errorf("%s: the example has to have a status exactly if there is a subresource for it", s.Kind)
		}
	}
	for kind := range all {
		if !known[kind] {
			t.Errorf("there is an example of %s, but no such kind", kind)
		}
	}
}

// A kind that nobody has written an example of is an error that says where it belongs.
func TestKindWithoutExample(t *testing.T) {
	_, err := Of(rest.Kind{Group: "new.k8s.io", Version: "v1", Kind: "Thing"}, "default", 7)
	const want = "kinds: no example of new.k8s.io/v1/Thing: fakeapi/conformance/kinds/objects needs one"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// Metadata that is asked for is added to that of the example.
func TestBody(t *testing.T) {
	e := &Example{Name: "a", Object: map[string]any{"metadata": map[string]any{"labels": map[string]any{"x": "y"}}}}
	body := rest.Object(e.Body(map[string]any{"labels": map[string]any{"a": "b"}, "generation": int64(7)}))
	if body.Name() != "a" || body.String("metadata", "labels", "x") != "y" || body.String("metadata", "labels", "a") != "b" || body.Int("metadata", "generation") != 7 {
		t.Errorf("body is %v", body)
	}
	if again := rest.Object(e.Body(nil)); again.String("metadata", "labels", "a") != "" {
		t.Errorf("the example has changed: %v", again)
	}
}
