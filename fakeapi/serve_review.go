package fakeapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/rest"
)

// reviewed reports whether a kind is a question: a create asks it, and nothing is stored.
func reviewed(s *rest.Served) bool {
	return strings.HasSuffix(s.Kind.Kind, "Review") && slices.Equal(s.Verbs, []string{"create"})
}

// reviewHandler returns the handler of a request to a resource that answers questions.
func (s *Server) reviewHandler(r *request) (handler, *rest.Status) {
	switch {
	case r.name != "", r.res.kind.Namespaced != (r.namespace != ""):
		return nil, unknownPath()
	case r.method != http.MethodPost:
		return nil, methodNotAllowed()
	}
	return s.serveReview, nil
}

// serveReview answers a question about users and what they may do.
func (s *Server) serveReview(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := writeOptionsOf("CreateOptions", r.params)
	if st != nil {
		return nil, st
	}
	content, st := r.readSub(r.res, o)
	if st != nil {
		return nil, st
	}
	switch r.res.kind.Kind {
	case "SelfSubjectReview":
		content["metadata"] = map[string]any{"creationTimestamp": now()}
		content["status"] = map[string]any{"userInfo": r.user.info()}
		delete(content, "spec")
	case "TokenReview":
		st = s.reviewToken(content)
	case "SelfSubjectRulesReview":
		st = s.reviewRules(r.user, content)
	default:
		st = s.reviewAccess(r, content)
	}
	if st != nil {
		return nil, st
	}
	delete(content, "kind")
	delete(content, "apiVersion")
	return objectAnswer{http.StatusCreated, r.res, &object{content: content}}, nil
}

// info is the user as objects show it.
func (u *User) info() map[string]any {
	m := map[string]any{}
	if u.Name != "" {
		m["username"] = u.Name
	}
	if u.UID != "" {
		m["uid"] = u.UID
	}
	if len(u.Groups) > 0 {
		m["groups"] = u.Groups
	}
	if len(u.Extra) > 0 {
		m["extra"] = u.Extra
	}
	return m
}

// issuer issues the tokens of service accounts. It is also their audience, unless the request says
// more.
const issuer = "https://kubernetes.default.svc"

// reviewToken answers whose token it is.
func (s *Server) reviewToken(content rest.Object) *rest.Status {
	token := content.String("spec", "token")
	if token == "" {
		return badRequest("token is required for TokenReview in authentication")
	}
	if len(s.options.Tokens) == 0 {
		return notImplemented("reviews of tokens, on a server that asks for none")
	}
	audiences := content.Slice("spec", "audiences")
	if len(audiences) > 0 {
		return notImplemented("reviews of tokens for audiences")
	}
	u, ok := s.accounts.holder(token)
	if !ok {
		content["status"] = map[string]any{"user": map[string]any{}, "error": "invalid bearer token"}
		return nil
	}
	content["status"] = map[string]any{"authenticated": true, "user": u.info(), "audiences": []string{issuer}}
	return nil
}

// reviewRules answers what the user may do.
func (s *Server) reviewRules(u *User, content rest.Object) *rest.Status {
	namespace := content.String("spec", "namespace")
	if namespace == "" {
		return badRequest("no namespace on request")
	}
	var g *rbac.Grants
	switch {
	case s.options.RBAC && s.options.Allow == nil:
		s.store.read(func() { g = rbac.GrantsOf(roles{s.store}, u.Name, u.Groups, namespace) })
	case s.options.Allow == nil && u.Name != anonymous:
		g = rbac.Everything()
	default:
		return notImplemented("a list of what is decided otherwise than by RBAC")
	}
	if g.Unfilled != "" {
		return notImplemented((&rbac.UnfilledError{Role: g.Unfilled}).Error())
	}
	resources, urls := []any{}, []any{}
	for _, r := range g.Rules {
		if len(r.Resources) > 0 {
			m := map[string]any{"verbs": r.Verbs}
			for name, values := range map[string][]string{"apiGroups": r.Groups, "resources": r.Resources, "resourceNames": r.Names} {
				if len(values) > 0 {
					m[name] = values
				}
			}
			resources = append(resources, m)
		}
		if len(r.URLs) > 0 {
			urls = append(urls, map[string]any{"verbs": r.Verbs, "nonResourceURLs": r.URLs})
		}
	}
	status := map[string]any{"resourceRules": resources, "nonResourceRules": urls, "incomplete": false}
	if problems := g.Problems(""); problems != "" {
		status["evaluationError"] = problems
	}
	content["metadata"], content["spec"], content["status"] = map[string]any{}, map[string]any{}, status
	return nil
}
