package rest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// However many resources share a name, an error lists a few, and says how many more there are.
func TestCandidatesAreBounded(t *testing.T) {
	const many = 20_000
	kinds := make([]rest.Kind, 0, many)
	for i := range many {
		kinds = append(kinds, rest.Kind{Group: fmt.Sprintf("g%d.example", i), Version: "v1", Kind: "Thing", Plural: "things", Namespaced: true})
	}
	c, err := rest.New(kubeconfig.Config{Server: "https://localhost"}, rest.Options{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string]string{"Thing": "and 19992 more", "none.example/v1/Thing": "and 19992 more"} {
		err := errOf(rest.For[rest.Object](c, name).Get(t.Context(), "x"))
		if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), more) || !errors.Is(err, rest.ErrInvalidArgument) {
			t.Errorf("%s: %.1200v", name, err)
		}
	}
}
