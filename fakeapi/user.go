package fakeapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// User is somebody who sends requests.
type User struct {
	Name string
	UID  string
	// Groups are the groups of the user. system:authenticated is added. Users in system:masters may
	// do everything that RBAC decides about.
	Groups []string
	// Extra is what else authenticators know about the user.
	Extra map[string][]string
}

// The names of users and groups that mean something to the server itself.
const (
	anonymous       = "system:anonymous"
	admin           = "admin"
	masters         = rbac.Masters
	authenticated   = rbac.Authenticated
	unauthenticated = rbac.Unauthenticated

	accountPrefix = rbac.AccountPrefix
	accountsGroup = "system:serviceaccounts"
	nodePrefix    = "system:node:"
	nodesGroup    = "system:nodes"
)

// accounts are the users and their tokens.
type accounts struct {
	users map[string]User // those of the options, by name

	mu           sync.Mutex
	tokens       map[string]User
	impersonated map[string]int // by user, the way in which they last impersonated somebody
}

// AllowToken accepts a bearer token from now on, as that of the user. Options.Users may say more
// about the user.
func (s *Server) AllowToken(token, user string) {
	s.accounts.accept(token, s.accounts.named(user))
}

// RevokeToken refuses a bearer token from now on: requests with it get 401. Open watches go on, as
// they do on a real server.
func (s *Server) RevokeToken(token string) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	delete(s.accounts.tokens, token)
}

// learn takes over the users and tokens of the options, before the server runs.
func (a *accounts) learn(o *Options) error {
	for _, u := range o.Users {
		if u.Name == "" {
			return errors.New("a user has no name")
		}
		if _, ok := a.users[u.Name]; ok {
			return fmt.Errorf("user %q is listed twice", u.Name)
		}
		a.users[u.Name] = u
	}
	for token, user := range o.Tokens {
		a.accept(token, a.named(user))
	}
	return nil
}

// accept accepts a token as that of a user.
func (a *accounts) accept(token string, u User) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tokens[token] = u
}

// holder returns the user whose token it is.
func (a *accounts) holder(token string) (User, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	u, ok := a.tokens[token]
	return u, ok
}

// named returns what is known about a user.
func (a *accounts) named(name string) User {
	u, ok := a.users[name]
	if !ok {
		u.Name = name
	}
	if namespace, _, ok := accountOf(name); ok && len(u.Groups) == 0 {
		u.Groups = accountGroups(namespace)
	}
	return u.inside()
}

// inside returns the user with the group of all users who are known.
func (u User) inside() User {
	if u.Name != anonymous && !u.in(authenticated) && !u.in(unauthenticated) {
		u.Groups = append(slices.Clip(u.Groups), authenticated)
	}
	return u
}

func (u *User) in(group string) bool { return slices.Contains(u.Groups, group) }

// identify returns who makes a request, or refuses a token. If no tokens are asked for, everybody
// is the admin.
func (a *accounts) identify(h http.Header, byToken bool) (*User, *rest.Status) {
	if !byToken {
		return new(User{Name: admin, Groups: []string{masters}}.inside()), nil
	}
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return &User{Name: anonymous, Groups: []string{unauthenticated}}, nil
	}
	if u, ok := a.holder(token); ok {
		return &u, nil
	}
	return nil, unauthorized()
}

// accountOf takes the user name of a service account apart.
func accountOf(user string) (namespace, name string, ok bool) {
	both, ok := strings.CutPrefix(user, accountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(both, ":")
	if !ok || len(valid.Label(namespace)) > 0 || len(valid.Subdomain(name)) > 0 {
		return "", "", false
	}
	return namespace, name, true
}

// accountGroups are the groups of the service accounts of a namespace.
func accountGroups(namespace string) []string {
	return []string{accountsGroup, accountsGroup + ":" + namespace}
}

// nodeOf returns the node whose user it is.
func nodeOf(user string) (name string, ok bool) {
	name, ok = strings.CutPrefix(user, nodePrefix)
	return name, ok && len(valid.Subdomain(name)) == 0
}
