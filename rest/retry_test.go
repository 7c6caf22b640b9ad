package rest_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// after refuses with a Retry-After of so many seconds.
func after(code int, seconds string) answer {
	a := answer{code: code, body: "busy", header: map[string]string{"Content-Type": "text/plain"}}
	if seconds != "" {
		a.header["Retry-After"] = seconds
	}
	return a
}

func TestRetries(t *testing.T) {
	three := stream.Backoff{MaxRetries: 3, Jitter: -1}
	get := func(ctx context.Context, r rest.Resource[Pod]) error { return errOf(r.Get(ctx, "web")) }
	list := func(ctx context.Context, r rest.Resource[Pod]) error { return errOf(r.List(ctx, rest.ListOptions{})) }
	create := func(ctx context.Context, r rest.Resource[Pod]) error {
		return errOf(r.Create(ctx, &Pod{Metadata: Meta{Name: "web"}}))
	}
	done, empty := ok(pod("web", "1")), page("1", "")
	for name, test := range map[string]struct {
		retry    stream.Backoff
		do       func(context.Context, rest.Resource[Pod]) error
		answers  []answer
		requests int
		took     time.Duration
		want     error
	}{
		"off":                           {stream.Backoff{}, get, []answer{after(429, "1")}, 1, 0, rest.ErrTooManyRequests},
		"switched off":                  {stream.Backoff{MaxRetries: stream.NoRetries}, get, []answer{after(429, "1")}, 1, 0, rest.ErrTooManyRequests},
		"get":                           {three, get, []answer{after(503, ""), after(500, ""), after(504, ""), done}, 4, 7 * time.Second, nil},
		"get, never closer than asked":  {three, get, []answer{after(429, "20"), done}, 2, 20 * time.Second, nil},
		"get, asked for too much":       {three, get, []answer{after(429, "301")}, 1, 0, rest.ErrTooManyRequests},
		"get, in vain":                  {three, get, []answer{after(429, "1"), after(429, "1"), after(429, "1"), after(429, "1")}, 4, 7 * time.Second, rest.ErrTooManyRequests},
		"get of nothing":                {three, get, []answer{refuse(404, rest.ReasonNotFound, "")}, 1, 0, rest.ErrNotFound},
		"list":                          {three, list, []answer{after(503, "2"), empty}, 2, 2 * time.Second, nil},
		"list that breaks off":          {three, list, []answer{ok(`{"kind":"PodList","items":[{"metadata":{"name":"a"}},`), empty}, 2, time.Second, nil},
		"create, rejected":              {three, create, []answer{after(429, "2"), done}, 2, 2 * time.Second, nil},
		"create, rejected, at once":     {three, create, []answer{after(429, "0"), done}, 2, time.Second, nil},
		"create, a date that is over":   {three, create, []answer{after(503, "Fri, 01 Jan 1999 00:00:00 GMT"), done}, 2, time.Second, nil},
		"create, a negative time":       {three, create, []answer{after(503, "-1")}, 1, 0, rest.ErrServiceUnavailable},
		"create, not a time":            {three, create, []answer{after(429, "soon")}, 1, 0, rest.ErrTooManyRequests},
		"create, rejected, no time":     {three, create, []answer{after(503, "")}, 1, 0, rest.ErrServiceUnavailable},
		"create, perhaps not rejected":  {three, create, []answer{after(504, "1")}, 1, 0, rest.ErrTimeout},
		"create, perhaps not rejected ": {three, create, []answer{after(500, "1")}, 1, 0, rest.ErrInternal},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{t: t, answers: test.answers}
				c, stop := inMemory(t, s, kubeconfig.Config{}, rest.Options{Defaults: rest.CallOptions{Retry: test.retry}})
				defer stop()
				start := time.Now()
				err := test.do(t.Context(), rest.For[Pod](c, "Pod").In("default"))
				if !errors.Is(err, test.want) {
					t.Errorf("error is %v, want %v", err, test.want)
				}
				if d := time.Since(start); d != test.took || len(s.requests()) != test.requests {
					t.Errorf("%d requests in %v, want %d in %v", len(s.requests()), d, test.requests, test.took)
				}
				for _, r := range s.requests() {
					if r.Body != s.requests()[0].Body {
						t.Errorf("the body was %q, then %q", s.requests()[0].Body, r.Body)
					}
				}
			})
		})
	}
}

// If the connection breaks, a create is not sent again. A get is, and the error says how often.
func TestRetriesOfBrokenConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		cut := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			requests.Add(1)
			panic(http.ErrAbortHandler)
		})
		o := rest.Options{Defaults: rest.CallOptions{Retry: stream.Backoff{MaxRetries: 2}}}
		c, stop := inMemory(t, cut, kubeconfig.Config{}, o)
		defer stop()
		pods := rest.For[Pod](c, "Pod").In("default")
		if err := errOf(pods.Create(t.Context(), &Pod{Metadata: Meta{Name: "web"}})); err == nil || requests.Load() != 1 {
			t.Errorf("create: %v after %d requests", err, requests.Load())
		}
		requests.Store(0)
		err := errOf(pods.Get(t.Context(), "web"))
		if err == nil || err.Error() != "get pods default/web: EOF (after 2 retries)" || requests.Load() != 3 {
			t.Errorf("get: %v after %d requests", err, requests.Load())
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		in := pods.Get(ctx, "web")
		synctest.Wait()
		mine := errors.New("mine")
		start := time.Now()
		cancel(mine)
		if err := (<-in).Err; !errors.Is(err, mine) || time.Since(start) > 0 {
			t.Errorf("a wait that was cancelled ends with %v after %v", err, time.Since(start))
		}
	})
}

// Each cannot take back the objects that it has sent, so that it does not retry.
func TestEachIsNotRetried(t *testing.T) {
	s := &script{t: t, answers: []answer{ok(`{"kind":"PodList","items":[{"metadata":{"name":"a"}},`)}}
	c, stop := inMemory(t, s, kubeconfig.Config{}, rest.Options{Defaults: rest.CallOptions{Retry: stream.Backoff{MaxRetries: 2, Initial: -1}}})
	defer stop()
	got, err := collect(rest.For[Pod](c, "Pod").Each(t.Context(), rest.ListOptions{}))
	if len(got) != 1 || err == nil || len(s.requests()) != 1 {
		t.Errorf("got %v, %v after %d requests", got, err, len(s.requests()))
	}
}

// collect returns the names of the objects, with "-" for a result without one, and the error.
func collect(in <-chan stream.Result[*Pod]) (names []string, err error) {
	for r := range in {
		switch {
		case r.Err != nil:
			err = r.Err
		case r.Value == nil:
			names = append(names, "-")
		default:
			names = append(names, r.Value.Metadata.Name)
		}
	}
	return names, err
}
