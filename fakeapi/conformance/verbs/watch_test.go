package verbs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// Events of a metadata-only watch have the kind of the resource, both those from the list and those
// from the stream.
func TestWatchOfMetadata(t *testing.T) {
	for namespace, size := range map[string]int{"streamed": 0, "pages": 1} {
		t.Run(namespace, func(t *testing.T) { watchMetadata(t, "verbs-watch-"+namespace, size) })
	}
}

func watchMetadata(t *testing.T, namespace string, size int) {
	t.Helper()
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, namespace, "ConfigMap"), t.Context()
		await(t, "create", r.Create(ctx, object("a", data("x", "1"))))
		events := watch.Events(ctx, rest.MetadataOnly(r), watch.Options{FieldSelector: "metadata.name!=kube-root-ca.crt", PageSize: size})
		var got []string
		for deadline := time.After(time.Minute); len(got) < 4; {
			select {
			case ev := <-events:
				switch {
				case ev.Type == watch.Synced:
					await(t, "create", r.Create(ctx, object("b", nil)))
					await(t, "delete", r.Delete(ctx, "a", rest.DeleteOptions{}))
					got = append(got, "synced")
				case ev.Object != nil:
					got = append(got, string(ev.Type)+" "+ev.Object.APIVersion+" "+ev.Object.Kind+" "+ev.Object.Metadata.Name)
				default:
					t.Log(ev.Err)
				}
			case <-deadline:
				t.Fatalf("got %q, and then nothing", got)
			}
		}
		want := []string{"ADDED v1 ConfigMap a", "synced", "ADDED v1 ConfigMap b", "DELETED v1 ConfigMap a"}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}
