package fakeapi

import (
	"net/http"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/rest"
)

// reviewed tells whether a kind is a question that a create asks, and that is
// not stored.
func reviewed(k rest.Kind) bool {
	return strings.HasSuffix(k.Kind, "Review") && k.Verbs == rest.VerbsOf("create")
}

// serveReview answers a question about users and what they may do.
func (s *Server) serveReview(w *response, r *http.Request, res *resource, q *query) {
	switch {
	case q.name != "", res.kind.Namespaced != (q.namespace != ""):
		writeStatus(w, unknownPath())
		return
	case r.Method != http.MethodPost:
		writeStatus(w, methodNotAllowed())
		return
	}
	o, st := writeOptionsOf("CreateOptions", q.params)
	var content rest.Object
	if st == nil {
		content, st = s.readSub(w, r, res, q, o)
	}
	if st == nil {
		st = s.review(res, q, content)
	}
	if st != nil {
		writeStatus(w, st)
		return
	}
	delete(content, "kind")
	delete(content, "apiVersion")
	s.writeObject(w, http.StatusCreated, res, &object{content: content})
}

// review fills in the answer.
func (s *Server) review(res *resource, q *query, content rest.Object) *rest.Status {
	switch res.kind.Kind {
	case "SelfSubjectReview":
		content["metadata"] = map[string]any{"creationTimestamp": time.Now().UTC().Format(time.RFC3339)}
		content["status"] = map[string]any{"userInfo": q.user.info()}
		delete(content, "spec")
		return nil
	case "TokenReview":
		return s.reviewToken(content)
	case "SelfSubjectRulesReview":
		return s.reviewRules(q, content)
	}
	return s.reviewAccess(res, q, content)
}

// info is a user as objects show him.
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

// issuer is who gives tokens to service accounts, and whom they are for if
// nobody says more.
const issuer = "https://kubernetes.default.svc"

// reviewToken tells whose a token is.
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
	s.mu.Lock()
	u, ok := s.tokens[token]
	s.mu.Unlock()
	if !ok {
		content["status"] = map[string]any{"user": map[string]any{}, "error": "invalid bearer token"}
		return nil
	}
	content["status"] = map[string]any{"authenticated": true, "user": u.info(), "audiences": []string{issuer}}
	return nil
}

// reviewRules tells what the user may do.
func (s *Server) reviewRules(q *query, content rest.Object) *rest.Status {
	namespace := content.String("spec", "namespace")
	if namespace == "" {
		return badRequest("no namespace on request")
	}
	var g *rbac.Grants
	switch {
	case s.options.RBAC && s.options.Allow == nil:
		s.mu.Lock()
		g = rbac.GrantsOf(roles{s}, q.user.Name, q.user.Groups, namespace)
		s.mu.Unlock()
	case s.options.Allow == nil && q.user.Name != anonymous:
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
