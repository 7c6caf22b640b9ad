package watch_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// A name is sent as a field selector, with the list and with the watch, before the caller's own.
func TestName(t *testing.T) {
	const byName = "metadata.name%3Da"
	for name, tt := range map[string]struct {
		fields, want string
	}{
		"alone":                 {"", byName},
		"with a field selector": {"metadata.namespace=default", byName + "%2Cmetadata.namespace%3Ddefault"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{Objects: []any{cm("a", "1"), cm("b", "1")}}, func(t *testing.T, s *fakeapi.Server) {
				events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Name: "a", FieldSelector: tt.fields})
				expect(t, events, "ADDED a=1", "SYNCED")
				must(t)(s.Apply(cm("b", "2")))
				must(t)(s.Delete("ConfigMap", "default", "a"))
				must(t)(s.Create(cm("a", "2")))
				expect(t, events, "DELETED a=1", "ADDED a=2")
				synctest.Wait()
				requests := s.Journal()
				got := make([]string, 0, len(requests))
				for _, r := range requests {
					got = append(got, verbOf(r)+" "+query(r, "fieldSelector"))
				}
				if d := cmp.Diff([]string{"list " + tt.want, "watch " + tt.want}, got); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

func TestBadNames(t *testing.T) {
	for _, name := range []string{"default/a", "..", ".", "a%2Fb", "a\nb"} {
		bubble(t, fakeapi.Options{}, func(t *testing.T, s *fakeapi.Server) {
			events := watch.Events(t.Context(), configMaps(s), watch.Options{PageSize: 500, Name: name})
			if e := attempt(t, <-events); e.Attempt != 0 || !errors.Is(e, rest.ErrInvalidArgument) {
				t.Errorf("%q: got %v after %d attempts, want an ErrInvalidArgument before any", name, e, e.Attempt)
			}
			expectClosed(t, events)
			if n := len(s.Journal()); n != 0 {
				t.Errorf("%q: %d requests were sent, want none", name, n)
			}
		})
	}
}
