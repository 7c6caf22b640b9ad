package rest_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

func TestRawRequests(t *testing.T) {
	c, s := scripted(t, answer{200, map[string]string{"Content-Type": "text/plain"}, "ok"}, ok("{}"), answer{404, nil, "404 page not found"})
	ctx := t.Context()
	got, err := one(t, c.Do(ctx, rest.Request{Path: "/healthz", Query: url.Values{"verbose": {"1"}}}))
	if err != nil || got.Code != 200 || string(got.Body) != "ok" || got.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("got %+v, %v", got, err)
	}
	body := []byte("a: b")
	in := c.Do(ctx, rest.Request{Method: http.MethodPost, Path: "/a%2Fb/c%20d/%C3%A9+!$&'()*,;=:@~", Body: body, Header: http.Header{"content-type": {"text/yaml"}}})
	body[0] = 'x'
	if _, err := one(t, in); err != nil {
		t.Error(err)
	}
	_, err = one(t, c.Do(ctx, rest.Request{Path: "/none"}))
	if !errors.Is(err, rest.ErrNotFound) || err.Error() != "get /none: not found (404): 404 page not found" {
		t.Error(err)
	}
	want := []call{
		{"GET", "/healthz?verbose=1", "", ""},
		{"POST", "/a%2Fb/c%20d/%C3%A9+!$&'()*,;=:@~", "text/yaml", "a: b"},
		{"GET", "/none", "", ""},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestBadRawRequests(t *testing.T) {
	c, s := scripted(t)
	for path, want := range map[string]string{
		"":            "rest: get : the path must begin with a slash and have no query",
		"healthz":     "rest: get healthz: the path must begin with a slash and have no query",
		"/a?b":        "rest: get /a?b: the path must begin with a slash and have no query",
		"/a b%2Fc":    "rest: get /a b%2Fc: the path has a character that must be escaped, as %20 is",
		"/é":          "rest: get /é: the path has a character that must be escaped, as %20 is",
		"/a\"b":       "rest: get /a\"b: the path has a character that must be escaped, as %20 is",
		"/a%zz":       "rest: get /a%zz: the path has a malformed escape",
		"/a/../b":     `rest: get /a/../b: path segment ".." is a relative path`,
		"/a/%2e%2e/b": `rest: get /a/%2e%2e/b: path segment ".." is a relative path`,
		"/a%0ab":      `rest: get /a%0ab: path segment "a\nb" contains a control character`,
	} {
		if _, err := one(t, c.Do(t.Context(), rest.Request{Path: path})); err == nil || err.Error() != want {
			t.Errorf("error is\n\t%v, want\n\t%s", err, want)
		}
	}
	if _, err := one(t, c.Do(t.Context(), rest.Request{Method: "a b", Path: "/"})); err == nil {
		t.Error("a method with a space is taken")
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}
