package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
)

// request is one request to an endpoint. It holds no address: it can be checked before it is sent,
// and made again for another kind.
type request struct {
	op, method  string
	name        string // of the object, "" for a collection
	collection  bool   // it goes to the collection, even if an object is named
	narrow      bool   // the collection of all namespaces is refused
	shown       string // the name in errors, if it is another one
	query       url.Values
	contentType string // of the body, if it is not JSON
	body        []byte
	object      bool   // the body is an object of the kind, to be completed once that is known
	patch       *Patch // the body and its type depend on the kind
}

// about returns the name that errors show.
func (q *request) about() string { return cmp.Or(q.shown, q.name) }

// check refuses a request that no server accepts. While the kind is not resolved, it checks what
// needs no kind.
func (e *Endpoint) check(q *request) error {
	if err := e.Err(); err != nil {
		return err
	}
	if q.name != "" || !q.collection {
		if err := e.checkName(q.op, q.name); err != nil {
			return err
		}
	}
	switch {
	case q.patch != nil:
		return e.checkPatch(q)
	case q.narrow && e.kind.Namespaced && e.namespace == "":
		return e.bad(q.op, "", errNoNamespace)
	}
	return nil
}

// checkName refuses a name that no object can have. The error of the endpoint comes first.
func (e *Endpoint) checkName(op, name string) error {
	if err := e.Err(); err != nil {
		return err
	}
	if err := checkSegment(name); err != nil {
		return e.bad(op, "", fmt.Errorf("name %w", err))
	}
	if e.kind.Namespaced && e.namespace == "" {
		return e.bad(op, name, errNoNamespace)
	}
	return nil
}

var errNoNamespace = errors.New("no namespace: use In")

// build makes the HTTP request.
func (e *Endpoint) build(ctx context.Context, q *request) (*http.Request, error) {
	var content io.Reader
	if q.body != nil {
		content = bytes.NewReader(q.body)
	}
	r, err := http.NewRequestWithContext(ctx, q.method, "", content)
	if err != nil {
		return nil, err
	}
	name := q.name
	if q.collection {
		name = ""
	}
	r.URL = e.address(name)
	r.Host = r.URL.Host
	query := e.options().query(q.method)
	maps.Copy(query, q.query)
	r.URL.RawQuery = query.Encode()
	r.Header.Set("Accept", e.accept(q))
	if q.body != nil {
		r.Header.Set("Content-Type", cmp.Or(q.contentType, "application/json"))
	}
	return r, nil
}

// accept returns the media types that the answer may have.
func (e *Endpoint) accept(q *request) string {
	const json = "application/json"
	kind := partialKind
	switch {
	case !e.partial:
		return json
	case q.method == http.MethodPatch:
	case q.method != http.MethodGet:
		return json
	case q.collection && q.query.Get("watch") == "":
		kind += "List"
	}
	return json + ";as=" + kind + ";g=meta.k8s.io;v=v1," + json
}

// checkPatch chooses the type of a patch and refuses a document that cannot be one. While the kind
// is not resolved, a patch without a type is only known to be an object.
func (e *Endpoint) checkPatch(q *request) error {
	p := *q.patch
	custom := !e.pending && e.kind.isCustom()
	var err error
	switch {
	case p.Type == "" && (e.pending || custom || e.subresource == subStatus || e.subresource == subScale):
		p.Type = TypeMergePatch
	case p.Type == "":
		p.Type = TypeStrategicPatch
	case p.Type == TypeStrategicPatch && custom:
		err = errors.New("custom resources have no strategic merge patch; use a merge patch")
	}
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return e.bad("patch", q.name, err)
	}
	q.contentType, q.body = string(p.Type), p.Data
	return nil
}
