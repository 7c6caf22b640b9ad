package rest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// refusal returns the error of an answer.
func refusal(op string, e rest.Endpoint, name string, code int, header http.Header, body string) *rest.StatusError {
	resp := &http.Response{StatusCode: code, Header: header, Body: io.NopCloser(strings.NewReader(body))}
	defer resp.Body.Close()
	return rest.NewStatusError(op, e, name, resp)
}

func endpoint(t testing.TB, kind, namespace string) rest.Endpoint {
	t.Helper()
	c, err := rest.New(kubeconfig.Config{Server: "https://localhost"}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := rest.For[rest.Object](c, kind).In(namespace).Endpoint()
	if err := e.Err(); err != nil {
		t.Fatal(err)
	}
	return e
}

// The text of a refusal is one line that says everything once.
func TestStatusErrorText(t *testing.T) {
	status := func(code int, reason, message string) string { return refuse(code, reason, message).body }
	for _, test := range []struct {
		op, kind, namespace, name string
		code                      int
		contentType, body         string
		want                      string
	}{
		{"get", "Pod", "default", "nginx", 404, "", status(404, "NotFound", `pods "nginx" not found`), "get pods default/nginx: not found (404)"},
		{"get", "Deployment", "default", "web", 404, "", status(404, "NotFound", `deployments.apps "web" not found`), "get deployments.apps default/web: not found (404)"},
		{"get", "Node", "", "n", 404, "", status(404, "NotFound", `nodes "n" not found`), "get nodes n: not found (404)"},
		{"create", "Pod", "prod", "nginx", 404, "", status(404, "NotFound", `namespaces "prod" not found`), `create pods prod/nginx: not found (404): namespaces "prod" not found`},
		{"get", "Pod", "default", "nginx", 404, "", status(404, "NotFound", "the server could not find the requested resource"), "get pods default/nginx: not found (404): the server could not find the requested resource"},
		{"create", "Pod", "default", "nginx", 409, "", status(409, "AlreadyExists", `pods "nginx" already exists`), "create pods default/nginx: already exists (409)"},
		{"update", "Pod", "default", "nginx", 409, "", status(409, "Conflict", `Operation cannot be fulfilled on pods "nginx": the object has been modified; please apply your changes to the latest version and try again`), "update pods default/nginx: conflict (409): the object has been modified; please apply your changes to the latest version and try again"},
		{"delete", "ConfigMap", "default", "c", 409, "", status(409, "Conflict", `Operation cannot be fulfilled on ConfigMap "c": the UID in the precondition (x) does not match`), "delete configmaps default/c: conflict (409): the UID in the precondition (x) does not match"},
		{"list", "Pod", "", "", 504, "", status(504, "Timeout", "Timeout: Too large resource version: 9, current: 1"), "list pods: timeout (504): Too large resource version: 9, current: 1"},
		{"list", "Pod", "default", "", 403, "", status(403, "Forbidden", `pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"`), `list pods default/*: forbidden (403): User "jane" cannot list resource "pods" in API group "" in the namespace "default"`},
		{"get", "Pod", "default", "nginx", 403, "", status(403, "Forbidden", `pods "nginx" is forbidden: User "jane" cannot get`), `get pods default/nginx: forbidden (403): User "jane" cannot get`},
		{"update", "Pod", "default", "nginx", 422, "", status(422, "Invalid", `Pod "nginx" is invalid: spec.containers: Required value`), "update pods default/nginx: invalid (422): spec.containers: Required value"},
		{"get", "Pod", "default", "nginx", 401, "", status(401, "Unauthorized", "Unauthorized"), "get pods default/nginx: unauthorized (401)"},
		{"watch", "Pod", "", "", 410, "", status(410, "Gone", "too old resource version: 1 (2)"), "watch pods: expired (410): too old resource version: 1 (2)"},
		{"get", "Pod", "default", "nginx", 500, "", status(500, "Strange", "x\n y"), "get pods default/nginx: internal error (500): x y"},
		{"get", "Pod", "default", "nginx", 507, "", status(507, "Strange", "x"), "get pods default/nginx: Strange (507): x"},
		{"get", "Pod", "default", "nginx", 500, "", status(500, "ServerTimeout", "try again"), "get pods default/nginx: server timeout (500): try again"},
		// without a Status
		{"get", "Pod", "default", "nginx", 429, "text/plain", "Too many requests, please try again later.\n", "get pods default/nginx: too many requests (429): Too many requests, please try again later."},
		{"get", "Pod", "default", "nginx", 502, "text/html", "<html><body>bad</body></html>", "get pods default/nginx: bad gateway (502): the answer is a web page"},
		{"get", "Pod", "default", "nginx", 503, "", "", "get pods default/nginx: service unavailable (503)"},
		{"get", "Pod", "default", "nginx", 503, "application/octet-stream", "secret bytes", "get pods default/nginx: service unavailable (503)"},
		{"create", "Pod", "default", "nginx", 409, "", "", "create pods default/nginx: already exists (409)"},
		{"update", "Pod", "default", "nginx", 409, "", "", "update pods default/nginx: conflict (409)"},
		{"get", "Pod", "default", "nginx", 418, "", `{"kind":"Pod"}`, `get pods default/nginx: i'm a teapot (418): {"kind":"Pod"}`},
		{"get", "Pod", "default", "nginx", 799, "", "", "get pods default/nginx: refused (799)"},
		{"get", "Pod", "default", "nginx", 404, "", `{"kind":"Status","code":"x"}`, `get pods default/nginx: not found (404): {"kind":"Status","code":"x"}`},
		{"get", "Pod", "default", "nginx", 404, "", `{"kind":"Status"}`, "get pods default/nginx: not found (404)"},
	} {
		header := http.Header{"Content-Type": {test.contentType}}
		err := refusal(test.op, endpoint(t, test.kind, test.namespace), test.name, test.code, header, test.body)
		if got := err.Error(); got != test.want {
			t.Errorf("got\n\t%s, want\n\t%s", got, test.want)
		}
	}
	sub := &rest.StatusError{
		Op: "patch", Resource: "deployments.apps/scale", Object: "default/web",
		Status: rest.Status{Code: 404, Reason: rest.ReasonNotFound, Message: `deployments.apps "web" not found`},
	}
	if got, want := sub.Error(), "patch deployments.apps/scale default/web: not found (404)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (&rest.StatusError{}).Error(); got != "refused" {
		t.Errorf("the zero value says %q", got)
	}
}

func TestSentinels(t *testing.T) {
	all := map[string]error{
		"bad request": rest.ErrBadRequest, "unauthorized": rest.ErrUnauthorized, "forbidden": rest.ErrForbidden,
		"not found": rest.ErrNotFound, "method not allowed": rest.ErrMethodNotAllowed, "not acceptable": rest.ErrNotAcceptable,
		"conflict": rest.ErrConflict, "already exists": rest.ErrAlreadyExists, "expired": rest.ErrExpired,
		"request too large": rest.ErrRequestTooLarge, "unsupported media type": rest.ErrUnsupportedMediaType,
		"invalid": rest.ErrInvalid, "too many requests": rest.ErrTooManyRequests, "internal error": rest.ErrInternal,
		"server timeout": rest.ErrServerTimeout, "service unavailable": rest.ErrServiceUnavailable, "timeout": rest.ErrTimeout,
	}
	for _, test := range []struct {
		code   int
		reason string
		want   string
	}{
		{400, "BadRequest", "bad request"},
		{401, "", "unauthorized"},
		{403, "Forbidden", "forbidden"},
		{404, "", "not found"},
		{405, "MethodNotAllowed", "method not allowed"},
		{406, "", "not acceptable"},
		{409, "Conflict", "conflict"},
		{409, "", "conflict"},
		{409, "AlreadyExists", "already exists"},
		{410, "Gone", "expired"},
		{410, "Expired", "expired"},
		{410, "", "expired"},
		{413, "", "request too large"},
		{415, "", "unsupported media type"},
		{422, "Invalid", "invalid"},
		{429, "", "too many requests"},
		{500, "InternalError", "internal error"},
		{500, "ServerTimeout", "server timeout"},
		{500, "", "internal error"},
		{503, "", "service unavailable"},
		{504, "Timeout", "timeout"},
		{200, "NotFound", "not found"},
		{404, "Word", "not found"},
		{502, "", ""},
		{0, "", ""},
	} {
		err := fmt.Errorf("wrapped: %w", &rest.StatusError{Status: rest.Status{Code: test.code, Reason: test.reason}})
		for name, sentinel := range all {
			if got := errors.Is(err, sentinel); got != (name == test.want) {
				t.Errorf("%d %q is %q: %v", test.code, test.reason, name, got)
			}
		}
		if _, ok := errors.AsType[*rest.StatusError](err); !ok {
			t.Error("the error cannot be unwrapped")
		}
	}
}

func TestRetryAfter(t *testing.T) {
	soon := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	past := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	body := func(seconds string) string {
		return `{"kind":"Status","status":"Failure","code":429,"details":{"name":"x","retryAfterSeconds":` + seconds + `}}`
	}
	for name, test := range map[string]struct {
		header, body string
		least, most  time.Duration
	}{
		"none":             {"", "", 0, 0},
		"header":           {"7", "", 7 * time.Second, 7 * time.Second},
		"date":             {soon, "", 58 * time.Minute, time.Hour},
		"date in the past": {past, "", 0, 0},
		"body":             {"", body("3"), 3 * time.Second, 3 * time.Second},
		"body and header":  {"7", body("3"), 3 * time.Second, 3 * time.Second},
		"zero in the body": {"7", body("0"), 7 * time.Second, 7 * time.Second},
		"fraction":         {"", body("0.5"), time.Second / 2, time.Second / 2},
		"garbage":          {"soon", "", 0, 0},
		"negative":         {"-1", "", 0, 0},
		"not a number":     {"NaN", "", 0, 0},
		"huge":             {"1e300", "", time.Hour, 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			if test.header != "" {
				h.Set("Retry-After", test.header)
			}
			err := refusal("get", endpoint(t, "Pod", "default"), "x", http.StatusTooManyRequests, h, test.body)
			if got := err.RetryAfter(); got < test.least || got > test.most {
				t.Errorf("RetryAfter is %v, want %v to %v", got, test.least, test.most)
			}
		})
	}
}

// Only a bounded part of a refusal is kept, whatever its size.
func TestHugeRefusal(t *testing.T) {
	err := refusal("get", endpoint(t, "Pod", "default"), "x",
		http.StatusBadGateway, http.Header{"Content-Type": {"text/plain"}, "X-A": {"b"}}, strings.Repeat("é", 1<<20))
	if n := len(err.Body); n > 8<<10 {
		t.Errorf("%d bytes of the body are kept", n)
	}
	if n := len(err.Status.Message); n > 2<<10 || n < 2<<9 {
		t.Errorf("the message has %d bytes", n)
	}
	if n := len(err.Error()); n > 2<<10 {
		t.Errorf("the line has %d bytes", n)
	}
	if err.Header.Get("X-A") != "b" {
		t.Error("the header is lost")
	}
	want := []rest.StatusCause{{Type: rest.CauseUnexpectedServerResponse, Message: err.Status.Message}}
	if d := cmp.Diff(want, err.Status.Details.Causes); d != "" {
		t.Error(d)
	}
}

// A Status that reports a failure is an error, whatever the HTTP status is.
func TestFailureInsideSuccess(t *testing.T) {
	body := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"InternalError","message":"two budgets","code":500}`
	const want = "internal error (500): two budgets"
	c, _ := scripted(t, ok(body), ok(body), ok(body))
	pods := rest.For[Pod](c, "Pod").In("default")
	for op, err := range map[string]error{
		"create pods default/web": errOf(pods.Create(t.Context(), &Pod{Metadata: Meta{Name: "web"}})),
		"delete pods default/web": errOf(pods.Delete(t.Context(), "web", rest.DeleteOptions{})),
		"list pods default/*":     errOf(pods.List(t.Context(), rest.ListOptions{})),
	} {
		if err == nil || err.Error() != op+": "+want || !errors.Is(err, rest.ErrInternal) {
			t.Errorf("error is %v, want %s: %s", err, op, want)
		}
	}
}

// A redirect is an error that does not repeat the query of the address.
func TestRedirectIsNotFollowed(t *testing.T) {
	c, s := scripted(t, answer{code: http.StatusFound, header: map[string]string{"Location": "https://login.example.com/start?state=hunter2"}})
	err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
	const want = "get pods default/web: redirected (302): to https://login.example.com/start"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// Only a redirect says where it leads to; another refusal keeps its own words.
func TestRefusalWithALocation(t *testing.T) {
	c, _ := scripted(t, answer{code: http.StatusBadRequest, header: map[string]string{"Location": "/elsewhere", "Content-Type": "text/plain"}, body: "not like this"})
	err := errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
	if want := "get pods default/web: bad request (400): not like this"; errText(err) != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func FuzzStatus(f *testing.F) {
	f.Add(404, "application/json", []byte(`{"kind":"Status","status":"Failure","reason":"NotFound","code":404,"details":{"retryAfterSeconds":1e400}}`))
	f.Add(503, "text/html; charset=utf-8", []byte("<html>\xff"))
	f.Add(200, "", []byte(`{"kind":"Status"`))
	e := endpoint(f, "Pod", "default")
	f.Fuzz(func(t *testing.T, code int, contentType string, body []byte) {
		err := refusal("get", e, "web", code, http.Header{"Content-Type": {contentType}, "Retry-After": {contentType}}, string(body))
		if line := err.Error(); strings.ContainsAny(line, "\n\r") || !strings.HasPrefix(line, "get pods default/web: ") {
			t.Errorf("line is %q", line)
		}
		if err.RetryAfter() < 0 {
			t.Errorf("RetryAfter is %v", err.RetryAfter())
		}
	})
}

// Servers answer 404 alike if an object is missing and if the kind has no such subresource. For
// kinds of which nothing is known, the error says both.
func TestNotFoundOfASubresource(t *testing.T) {
	widget := rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}
	missing := refuse(404, rest.ReasonNotFound, `widgets.example.com "x" not found`)
	type object = rest.Object
	for want, do := range map[string]func(*rest.Client) error{
		"patch widgets.example.com/status default/x: not found (404), or the kind has no subresource status": func(c *rest.Client) error {
			return errOf(rest.ForKind[object](c, widget).In("default").PatchStatus(t.Context(), "x", rest.MergePatch(`{"status":{}}`)))
		},
		"get widgets.example.com/scale default/x: not found (404), or the kind has no subresource scale": func(c *rest.Client) error {
			return errOf(rest.Sub[object](rest.ForKind[object](c, widget).In("default"), "scale").Get(t.Context(), "x"))
		},
		"get widgets.example.com default/x: not found": func(c *rest.Client) error {
			return errOf(rest.ForKind[object](c, widget).In("default").Get(t.Context(), "x"))
		},
		"get pods/status default/x: not found": func(c *rest.Client) error {
			return errOf(rest.Sub[object](rest.For[object](c, "Pod").In("default"), "status").Get(t.Context(), "x"))
		},
	} {
		c, _ := scripted(t, missing)
		if err := do(c); !errors.Is(err, rest.ErrNotFound) || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > len(want)+len(missing.body) {
			t.Errorf("error is\n\t%v, want\n\t%s", err, want)
		}
	}
}
