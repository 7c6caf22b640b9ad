package rest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// over is a round tripper of the caller's.
type over func(r *http.Request) (*http.Response, error)

func (f over) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// mutedBody is a body that never comes, and that ends with the context of its request only.
type mutedBody struct{ ctx context.Context } //nolint:containedctx // of the request whose body this is

func (b mutedBody) Read([]byte) (int, error) {
	<-b.ctx.Done()
	return 0, b.ctx.Err()
}
func (mutedBody) Close() error { return nil }

// everyRequest are requests of all kinds.
func everyRequest() map[string]func(context.Context, *rest.Client) error {
	all := map[string]func(context.Context, *rest.Client) error{
		"list": func(ctx context.Context, c *rest.Client) error {
			return errOf(rest.For[rest.Object](c, "Pod").List(ctx, rest.ListOptions{}))
		},
		"delete": func(ctx context.Context, c *rest.Client) error {
			return errOf(rest.For[rest.Object](c, "Pod").In("default").Delete(ctx, "web", rest.DeleteOptions{}))
		},
		"watch": func(ctx context.Context, c *rest.Client) error {
			frames, err := rest.For[rest.Object](c, "Pod").Endpoint().Watch(ctx, rest.WatchOptions{Timeout: time.Hour})
			if err == nil {
				_, err = frames.Next()
				frames.Close()
			}
			return err
		},
		"discover": func(ctx context.Context, c *rest.Client) error { return errOf(c.Discover(ctx)) },
		"do": func(ctx context.Context, c *rest.Client) error {
			return errOf(c.Do(ctx, rest.Request{Path: "/version"}))
		},
		"upgrade": func(ctx context.Context, c *rest.Client) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server()+"/x", http.NoBody)
			if err != nil {
				return err
			}
			r.Header.Set("Upgrade", "websocket")
			resp, err := c.Upgrade(r)
			if err == nil {
				err = resp.Body.Close()
			}
			return err
		},
	}
	for name, ask := range askingVerbs() {
		all[name] = func(ctx context.Context, c *rest.Client) error {
			return ask(ctx, rest.For[rest.Object](c, "Pod").In("default"))
		}
	}
	return all
}

// through returns a client for each way to bring a round tripper.
func through(t *testing.T, f over) map[string]*rest.Client {
	t.Helper()
	clients := map[string]*rest.Client{}
	for name, o := range map[string]rest.Options{
		"Transport": {Transport: f},
		"Wrap":      {Wrap: func(http.RoundTripper) http.RoundTripper { return f }},
	} {
		o.Discovery, o.Defaults.FieldManager = true, "test"
		c, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, o)
		if err != nil {
			t.Fatal(err)
		}
		clients[name] = c
	}
	return clients
}

// A round tripper of the caller's that leaves out parts of an answer, or all of it, gets an error
// and no panic.
func TestAnswerWithMissingParts(t *testing.T) {
	for name, answer := range map[string]*http.Response{
		"no answer":             nil,
		"nothing in it":         {},
		"no body":               {StatusCode: http.StatusOK},
		"no body, a refusal":    {StatusCode: http.StatusInternalServerError},
		"no body, unauthorized": {StatusCode: http.StatusUnauthorized},
		"no header":             {StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("x"))},
		"no body, upgraded":     {StatusCode: http.StatusSwitchingProtocols},
	} {
		for way, c := range through(t, func(*http.Request) (*http.Response, error) {
			if answer == nil {
				return nil, nil //nolint:nilnil // the mistake
			}
			return new(*answer), nil
		}) {
			for verb, ask := range everyRequest() {
				if err := ask(t.Context(), c); err == nil && verb != "do" && verb != "delete" { // which take an empty body
					t.Errorf("%s, %s, %s: no error", name, way, verb)
				}
			}
		}
	}
}

// The body of a refusal is not waited for, though only the context of the request ends it.
func TestRefusalWhoseBodyMindsTheContextOnly(t *testing.T) {
	for _, code := range []int{http.StatusUnauthorized, http.StatusGone, http.StatusInternalServerError} {
		synctest.Test(t, func(t *testing.T) {
			for way, c := range through(t, func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: code, Body: mutedBody{r.Context()}}, nil
			}) {
				for verb, ask := range everyRequest() {
					if verb == "upgrade" {
						continue // its body is a connection
					}
					began := time.Now()
					err := ask(t.Context(), c)
					refused, ok := errors.AsType[*rest.StatusError](err)
					if lasted := time.Since(began); lasted > 5*time.Second || !ok || refused.Status.Code != code {
						t.Errorf("%s, %s: after %v: %v", way, verb, lasted, err)
					}
				}
			}
		})
	}
}
