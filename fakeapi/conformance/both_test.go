package conformance_test

import (
	"testing"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// TestBoth shows how to test the library against both servers.
func TestBoth(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		configMaps := rest.For[rest.Object](s.Client(t), "ConfigMap").In("default")
		object := rest.Object{"metadata": map[string]any{"generateName": "both-"}, "data": map[string]any{"k": "v"}}
		created, err := stream.Await(configMaps.Create(t.Context(), &object))
		if err != nil {
			t.Fatal(err)
		}
		s.Restart(t)
		configMaps = rest.For[rest.Object](s.Client(t), "ConfigMap").In("default") // the old connections are cut
		got, err := stream.Await(configMaps.Get(t.Context(), created.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if v := got.String("data", "k"); v != "v" {
			t.Errorf("data.k is %q", v)
		}
	})
}
