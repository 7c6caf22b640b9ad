package fakeapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// generated asks for a generated name on a new server, on which objects of some names exist
// already. These have uids, so that they use up no random numbers.
func generated(t *testing.T, taken []string) answer {
	t.Helper()
	s := fakeapi.New(t, fakeapi.Options{AnyNamespace: true})
	for _, name := range taken {
		must(s.Create(rest.Object{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": name, "uid": "00000000-0000-4000-8000-000000000000"},
		}))(t)
	}
	return do(t, client(t, s), "POST", maps, `{"metadata":{"generateName":"gen-"}}`)
}

// With the same seed the names come in the same order: those that are taken are left out, but only
// eight are tried.
func TestGenerateNameTriesUpToEightNames(t *testing.T) {
	name := func(a answer) string {
		var o struct{ Metadata rest.ObjectMeta }
		decode(t, a.Body, &o)
		return o.Metadata.Name
	}
	var taken []string
	for tries := 1; tries <= 8; tries++ {
		got := generated(t, taken)
		if got.Code != 201 || slices.Contains(taken, name(got)) {
			t.Fatalf("try %d: %v", tries, got)
		}
		taken = append(taken, name(got))
	}
	got := generated(t, taken)
	if want := fmt.Sprintf("configmaps %q already exists, the server was not able to generate a unique name for the object", taken[7]); got.Code != 409 ||
		!strings.Contains(got.Body, strings.ReplaceAll(want, `"`, `\"`)) {
		t.Errorf("with eight names taken: %v", got)
	}
}
