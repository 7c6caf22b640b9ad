package fakeapi

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// serveToken gives a token to a service account. It has the form of a real one
// and is signed by nobody; the server takes it as that of the account, if it
// asks for tokens at all.
func (s *Server) serveToken(w *response, r *http.Request, res *resource, q *query) {
	tokens := newResource(tokenKind, false)
	o, st := writeOptionsOf("CreateOptions", q.params)
	var content rest.Object
	if st == nil {
		content, st = s.readSub(w, r, tokens, q, o)
	}
	if st == nil {
		st = s.issue(res, tokens, content, q, o)
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	s.writeObject(w, http.StatusCreated, tokens, &object{content: content})
}

// issue fills in a TokenRequest.
func (s *Server) issue(res, tokens *resource, content rest.Object, q *query, o writeOptions) *rest.Status {
	const hour = int64(time.Hour / time.Second)
	value.Default(content, hour, "spec", "expirationSeconds")
	seconds := content.Int("spec", "expirationSeconds")
	s.mu.Lock()
	defer s.mu.Unlock()
	account, ok := res.objects[key(q.namespace, q.name)]
	if !ok {
		return res.notFound(q.name)
	}
	if seconds < hour/6 {
		return tokens.invalid("", valid.Invalid("spec.expirationSeconds", strconv.FormatInt(seconds, 10), "may not specify a duration less than 10 minutes"))
	}
	if len(content.Slice("spec", "audiences")) == 0 {
		value.Default(content, map[string]any{}, "spec")
		content.Map("spec")["audiences"] = []any{issuer}
	}
	spec := content.Map("spec")
	if _, ok := spec["boundObjectRef"]; !ok {
		spec["boundObjectRef"] = nil
	}
	id := s.newUID()
	begin := time.Now()
	end := begin.Add(time.Duration(seconds) * time.Second)
	user := accountPrefix + q.namespace + ":" + q.name
	claims := map[string]any{
		"aud": spec["audiences"], "exp": end.Unix(), "iat": begin.Unix(), "nbf": begin.Unix(), "iss": issuer, "sub": user, "jti": id,
	}
	token := segment(map[string]any{"alg": "none"}) + "." + segment(claims) + "."
	if len(s.tokens) > 0 && !o.dryRun {
		s.tokens[token] = User{
			Name: user, UID: account.content.UID(), Groups: accountGroups(q.namespace),
			Extra: map[string][]string{"authentication.kubernetes.io/credential-id": {"JTI=" + id}},
		}.inside()
	}
	content["metadata"] = map[string]any{
		"name": q.name, "namespace": q.namespace, "uid": account.content.UID(), "creationTimestamp": begin.UTC().Format(time.RFC3339),
	}
	content["status"] = map[string]any{"token": token, "expirationTimestamp": end.UTC().Format(time.RFC3339)}
	return nil
}

// segment is a part of a token.
func segment(v any) string { return base64.RawURLEncoding.EncodeToString(value.Encode(v)) }
