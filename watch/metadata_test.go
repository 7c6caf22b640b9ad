package watch_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// Servers call objects without their content PartialObjectMetadata. A watch gives them the kind and
// the apiVersion of the resource, also in the raw JSON, whether a list or a watch found them.
func TestMetadataOnly(t *testing.T) {
	for _, raw := range []bool{false, true} {
		overBoth(t, fakeapi.Options{Objects: []any{cm("a", "1")}}, func(t *testing.T, s *fakeapi.Server) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			events := watch.Events(ctx, rest.MetadataOnly(configMaps(s)), watch.Options{PageSize: 500, Raw: raw})
			next := func(want watch.Type) {
				t.Helper()
				ev := <-events
				if ev.Type != want || ev.Object == nil {
					t.Fatalf("got %s, want %s", ev, want)
				}
				if ev.Object.Kind != "ConfigMap" || ev.Object.APIVersion != "v1" || ev.Object.Metadata.Name != "a" {
					t.Errorf("%s: the object is %+v", want, ev.Object)
				}
				if !raw {
					if ev.Raw != nil {
						t.Errorf("%s: got raw JSON that was not asked for: %s", want, ev.Raw)
					}
					return
				}
				o, err := rest.Decode[rest.Object](ev.Raw)
				if err != nil {
					t.Fatal(err)
				}
				delete(*o, "metadata")
				if d := cmp.Diff(&rest.Object{"kind": "ConfigMap", "apiVersion": "v1"}, o); d != "" {
					t.Errorf("%s: besides the metadata, the raw JSON has (-want +got)\n%s", want, d)
				}
			}
			next(watch.Added)
			if ev := <-events; ev.Type != watch.Synced {
				t.Fatalf("got %s, want SYNCED", ev)
			}
			must(t)(s.Apply(cm("a", "2")))
			next(watch.Modified)
			must(t)(s.Delete("ConfigMap", "default", "a"))
			next(watch.Deleted)
		})
	}
}
