package library

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// gate holds the second page of each list back until it is opened.
type gate struct {
	arrived, open chan struct{}
}

// client makes a client whose lists stop at the gate, once each.
func (g *gate) client(t *testing.T, s conformance.Server) *rest.Client {
	t.Helper()
	o := s.Options()
	o.Wrap = func(next http.RoundTripper) http.RoundTripper {
		var once sync.Once
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Has("continue") {
				once.Do(func() { g.wait(r.Context()) })
			}
			return next.RoundTrip(r)
		})
	}
	client, err := rest.New(s.Config(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

// wait tells that somebody is there, and waits until the gate opens.
func (g *gate) wait(ctx context.Context) {
	if !stream.Send(ctx, g.arrived, struct{}{}) {
		return
	}
	select {
	case <-g.open:
	case <-ctx.Done():
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// outcome is what became of a list: the names that came, and whether it ended since it expired.
type outcome struct {
	Names   []string
	Expired bool
}

// listed reads a whole list.
func listed(ctx context.Context, r rest.Resource[rest.Object], o rest.ListOptions) (out outcome, err error) {
	list, err := stream.Await(r.List(ctx, o))
	if list != nil {
		for _, item := range list.Items {
			out.Names = append(out.Names, item.Name())
		}
	}
	return out.ended(err)
}

// each reads a list object by object.
func each(ctx context.Context, r rest.Resource[rest.Object], o rest.ListOptions) (out outcome, err error) {
	for item := range r.Each(ctx, o) {
		if item.Err != nil {
			err = item.Err
			continue
		}
		out.Names = append(out.Names, item.Value.Name())
	}
	return out.ended(err)
}

func (o outcome) ended(err error) (outcome, error) {
	if errors.Is(err, rest.ErrExpired) {
		o.Expired, err = true, nil
	}
	return o, err
}

// When the history is compacted between two pages, List starts over, and Each ends with an error.
func TestCompactedBetweenPages(t *testing.T) {
	read := map[string]func(context.Context, rest.Resource[rest.Object], rest.ListOptions) (outcome, error){"list": listed, "each": each}
	want := map[string]outcome{
		"list": {Names: []string{"a", "b", "bb", "d", "e"}},
		"each": {Names: []string{"a", "b"}, Expired: true},
	}
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := maps(t, s, "compacted"), t.Context()
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			await(t, "create", r.Create(ctx, object(name, "1")))
		}
		g := &gate{make(chan struct{}), make(chan struct{})}
		var mu sync.Mutex
		var reading sync.WaitGroup
		got := map[string]outcome{}
		clients := make([]*rest.Client, 0, len(want))
		for way, read := range read {
			client := g.client(t, s)
			clients = append(clients, client)
			mine := rest.For[rest.Object](client, "ConfigMap").In("compacted")
			reading.Go(func() {
				out, err := read(ctx, mine, rest.ListOptions{Limit: 2})
				if err != nil {
					t.Errorf("%s: %v", way, err)
				}
				mu.Lock()
				defer mu.Unlock()
				got[way] = out
			})
		}
		for range want {
			select {
			case <-g.arrived:
			case <-ctx.Done():
				t.Fatal(context.Cause(ctx))
			}
		}
		await(t, "delete", r.Delete(ctx, "c", rest.DeleteOptions{}))
		await(t, "create", r.Create(ctx, object("bb", "1")))
		s.Compact(t)
		for _, c := range clients {
			c.CloseIdle() // the connections are cut, which they may not have noticed
		}
		close(g.open)
		reading.Wait()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}
