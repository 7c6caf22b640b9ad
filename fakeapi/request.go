package fakeapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// query is what a request asks for, as far as its method and URL say.
type query struct {
	method string
	path   string
	params url.Values

	// For a resource:
	group, version string
	namespace      string
	plural         string
	name           string
	sub            string
	verb           string
}

// request is a request as its handler gets it.
type request struct {
	*query
	host     string
	header   http.Header
	user     *User // who asks
	res      *resource
	view     view // how objects are to be shown
	body     body
	warnings []string
}

// warn adds a warning to the answer, whatever the answer is.
func (r *request) warn(text string) { r.warnings = append(r.warnings, text) }

// access is what the request asks for, and who asks.
func (r *request) access() Access { return r.query.access().by(r.user) }

// queryOf takes a request apart, as kube-apiserver does before it knows what it serves.
func queryOf(r *http.Request) *query {
	q := &query{method: r.Method, path: r.URL.Path, params: r.URL.Query()}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) >= 2 && parts[0] == "api":
		q.version, parts = parts[1], parts[2:]
	case len(parts) >= 3 && parts[0] == "apis":
		q.group, q.version, parts = parts[1], parts[2], parts[3:]
	default:
		return q
	}
	if len(parts) == 0 {
		return q
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
		q.namespace, parts = parts[1], parts[2:]
	}
	q.plural = parts[0]
	if len(parts) > 1 {
		q.name = parts[1]
	}
	if len(parts) > 2 {
		q.sub = strings.Join(parts[2:], "/")
	}
	q.verb = q.verbOf()
	return q
}

// resource returns plural and group: "deployments.apps".
func (q *query) resource() string {
	if q.group == "" {
		return q.plural
	}
	return q.plural + "." + q.group
}

func (q *query) verbOf() string {
	switch q.method {
	case http.MethodGet, http.MethodHead:
		switch {
		case q.name != "":
			return "get"
		case boolOf(q.params, "watch"):
			return "watch"
		}
		return "list"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if q.name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return strings.ToLower(q.method)
}

// covers reports whether a path is one of the resource: with a namespace if the resource has one,
// and without if not. All namespaces can be listed and watched.
func (r *resource) covers(q *query) bool {
	switch {
	case !r.kind.Namespaced:
		return q.namespace == ""
	case q.namespace != "":
		return true
	case r.custom:
		return q.verb == "list" || q.verb == "watch"
	}
	return q.name == ""
}

// maxBody is how much of a request's body is read.
const maxBody = 3 << 20

// body is what a request carries.
type body struct {
	raw []byte
	err error
}

// readBody reads what a request carries.
func readBody(r *http.Request) body {
	raw, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	return body{raw, err}
}

// problem refuses a body that could not be read.
func (b body) problem() *rest.Status {
	var large *http.MaxBytesError
	switch {
	case b.err == nil:
		return nil
	case errors.As(b.err, &large):
		return failure(http.StatusRequestEntityTooLarge, rest.ReasonRequestEntityTooLarge,
			fmt.Sprintf("Request entity too large: limit is %d", maxBody), nil)
	}
	return badRequest("%s", b.err.Error())
}
