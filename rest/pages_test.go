package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

func TestExpired(t *testing.T) {
	first, second := page("1", "T1", "a", "b"), page("9", "", "b", "c")
	lost := refuse(410, rest.ReasonExpired, "")
	for name, test := range map[string]struct {
		answers []answer
		want    []string // of Each
		list    []string // nil if it expired
		fails   bool     // Each fails
		pages   []string // the parameters
	}{
		"starts over":            {[]answer{first, expired(), second}, []string{"a", "b"}, []string{"b", "c"}, true, []string{"limit=2", "continue=T1&limit=2", ""}},
		"starts over once":       {[]answer{first, expired(), first, expired()}, []string{"a", "b"}, nil, true, []string{"limit=2", "continue=T1&limit=2", "", "continue=T1"}},
		"offers no way to go on": {[]answer{first, lost, second}, []string{"a", "b"}, []string{"b", "c"}, true, []string{"limit=2", "continue=T1&limit=2", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			o := rest.ListOptions{Limit: 2}
			c, s := scripted(t, test.answers...)
			got, err := collect(rest.For[Pod](c, "Pod").Each(t.Context(), o))
			if d := cmp.Diff(test.want, got); d != "" || errors.Is(err, rest.ErrExpired) != test.fails {
				t.Errorf("error %v, %s", err, d)
			}
			if n := len(s.requests()); n != 2 {
				t.Errorf("Each sent %d requests, want 2", n)
			}
			c, s = scripted(t, test.answers...)
			list, err := one(t, rest.For[Pod](c, "Pod").List(t.Context(), o))
			switch {
			case test.list == nil:
				if !errors.Is(err, rest.ErrExpired) {
					t.Errorf("list: %v", err)
				}
			case err != nil:
				t.Errorf("list: %v", err)
			default:
				if d := cmp.Diff(test.list, names(list.Items)); d != "" {
					t.Errorf("list: %s", d)
				}
			}
			for i, want := range test.pages {
				if _, query, _ := strings.Cut(s.requests()[i].URI, "?"); query != want {
					t.Errorf("page %d was %q, want %q", i, query, want)
				}
			}
		})
	}
}

// A server that ignores the limit does not fill the memory. This one never ends.
func TestEachOfEndlessList(t *testing.T) {
	left := make(chan struct{})
	endless := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(left)
		item := `{"metadata":{"name":"web","labels":{"a":"` + strings.Repeat("x", 4<<10) + `"}}}`
		_, err := io.WriteString(w, `{"kind":"PodList","items":[`+item)
		for err == nil {
			_, err = io.WriteString(w, ","+item)
		}
	})
	c := serve(t, endless, kubeconfig.Config{})
	ctx, leave := context.WithCancel(t.Context())
	in := rest.For[Pod](c, "Pod").Each(ctx, rest.ListOptions{Limit: 10})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	<-in
	before, most := heap(), uint64(0)
	const items = 5_000 // 20 MiB
	for i := range items {
		if r := <-in; r.Err != nil {
			t.Fatal(r.Err)
		}
		if i%(items/10) == 0 {
			most = max(most, heap())
		}
	}
	if most > before+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, most)
	}
	leave()
	<-left // the download has ended
}

// An item that is too large ends the list before it fills the memory.
func TestTooLarge(t *testing.T) {
	large := `{"metadata":{"name":"web","uid":"` + strings.Repeat("x", 1<<20) + `"}}`
	small := rest.CallOptions{MaxObject: 64 << 10}
	for _, chunked := range []bool{true, false} {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if chunked {
				w.(http.Flusher).Flush()
			}
			if strings.HasSuffix(r.URL.Path, "/pods") {
				_, _ = io.WriteString(w, `{"kind":"PodList","items":[{"metadata":{"name":"a"}},`+large+`]}`)
				return
			}
			_, _ = io.WriteString(w, large)
		})
		c := serve(t, handler, kubeconfig.Config{})
		pods := rest.For[Pod](c, "Pod").In("default")
		if err := errOf(pods.Get(t.Context(), "web")); err != nil {
			t.Error(err)
		}
		if err := errOf(pods.List(t.Context(), rest.ListOptions{})); err != nil {
			t.Error(err)
		}
		pods = pods.With(small)
		err := errOf(pods.Get(t.Context(), "web"))
		if !errors.Is(err, rest.ErrTooLarge) || err.Error() != "get pods default/web: reading the answer: larger than CallOptions.MaxObject (65536 bytes)" {
			t.Error(err)
		}
		if err := errOf(pods.List(t.Context(), rest.ListOptions{})); !errors.Is(err, rest.ErrTooLarge) {
			t.Error(err)
		}
		if err := errOf(pods.With(rest.CallOptions{MaxObject: -1}).Get(t.Context(), "web")); err != nil {
			t.Error(err)
		}
	}
}

// JSON that is nested too deeply is an error, and does not grow the stack.
func TestDeep(t *testing.T) {
	deep := `{"metadata":{"name":"a"},"x":` + strings.Repeat(`{"a":[`, 20_000) + strings.Repeat(`]}`, 20_000) + `}`
	c, _ := scripted(t, ok(deep), ok(deep), ok(`{"kind":"NodeList","items":[`+deep+`]}`))
	for range 2 {
		if err := errOf(rest.For[rest.Object](c, "Node").Get(t.Context(), "a")); err == nil {
			t.Error("an object forty thousand deep was taken")
		}
	}
	if err := errOf(rest.For[Pod](c, "Node").List(t.Context(), rest.ListOptions{})); err == nil {
		t.Error("a list forty thousand deep was taken")
	}
}

func TestMaxErrorBody(t *testing.T) {
	for size, want := range map[int]int{0: 8 << 10, -1: 0, 100: 100, 1 << 20: 20 << 10} {
		c, _ := scripted(t, answer{code: 500, body: strings.Repeat("x", 20<<10)})
		err := errOf(rest.For[Pod](c, "Node").With(rest.CallOptions{MaxErrorBody: size}).Get(t.Context(), "a"))
		if refused, ok := errors.AsType[*rest.StatusError](err); !ok || len(refused.Body) != want {
			t.Errorf("of %d: %d bytes are kept, want %d", size, len(refused.Body), want)
		}
	}
}
