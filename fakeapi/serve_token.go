package fakeapi

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// serveToken gives a token to a service account. The token looks like a real one, but nobody has
// signed it. The server accepts it as that of the account, if it asks for tokens at all.
func (s *Server) serveToken(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := writeOptionsOf("CreateOptions", r.params)
	if st != nil {
		return nil, st
	}
	tokens := partOf(tokenKind)
	content, st := r.readSub(tokens, o)
	if st != nil {
		return nil, st
	}
	if st := s.issue(r, tokens, content, o); st != nil {
		return nil, st
	}
	return objectAnswer{http.StatusCreated, tokens, &object{content: content}}, nil
}

// issue fills in a TokenRequest.
func (s *Server) issue(r *request, tokens *resource, content rest.Object, o writeOptions) *rest.Status {
	const hour = int64(time.Hour / time.Second)
	value.Default(content, hour, "spec", "expirationSeconds")
	seconds := content.Int("spec", "expirationSeconds")
	var account *object
	var id string
	s.store.read(func() {
		account = r.res.objects[key(r.namespace, r.name)]
		if account != nil && seconds >= hour/6 {
			id = s.store.newUID()
		}
	})
	switch {
	case account == nil:
		return r.res.notFound(r.name)
	case id == "":
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
	begin := time.Now()
	end := begin.Add(time.Duration(seconds) * time.Second)
	user := accountPrefix + r.namespace + ":" + r.name
	claims := map[string]any{
		"aud": spec["audiences"], "exp": end.Unix(), "iat": begin.Unix(), "nbf": begin.Unix(), "iss": issuer, "sub": user, "jti": id,
	}
	token := segment(map[string]any{"alg": "none"}) + "." + segment(claims) + "."
	if !o.dryRun {
		s.accounts.accept(token, User{
			Name: user, UID: account.content.UID(), Groups: accountGroups(r.namespace),
			Extra: map[string][]string{"authentication.kubernetes.io/credential-id": {"JTI=" + id}},
		}.inside())
	}
	content["metadata"] = map[string]any{
		"name": r.name, "namespace": r.namespace, "uid": account.content.UID(), "creationTimestamp": begin.UTC().Format(time.RFC3339),
	}
	content["status"] = map[string]any{"token": token, "expirationTimestamp": end.UTC().Format(time.RFC3339)}
	return nil
}

// segment is a part of a token.
func segment(v any) string { return base64.RawURLEncoding.EncodeToString(value.Encode(v)) }
