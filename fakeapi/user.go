package fakeapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// User is somebody who sends requests.
type User struct {
	Name string
	UID  string
	// Groups are those that the user is in beside system:authenticated, which is
	// added. In system:masters a user may do whatever RBAC has a say in.
	Groups []string
	// Extra is what else authenticators tell about users.
	Extra map[string][]string
}

// The names that mean something to the server itself.
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

// AllowToken accepts a bearer token from now on, as that of the user.
// Options.Users may know more of him than his name.
func (s *Server) AllowToken(token, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = s.named(user)
}

// RevokeToken refuses a bearer token from now on: requests with it get 401.
// Watches that are open go on, as those of the real server do.
func (s *Server) RevokeToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// learn takes over the users and tokens of the options.
func (s *Server) learn() error {
	for _, u := range s.options.Users {
		if u.Name == "" {
			return errors.New("a user has no name")
		}
		if _, ok := s.users[u.Name]; ok {
			return fmt.Errorf("user %q is there twice", u.Name)
		}
		s.users[u.Name] = u
	}
	for token, user := range s.options.Tokens {
		s.tokens[token] = s.named(user)
	}
	return nil
}

// named returns all that is known of a user. The caller holds the mutex.
func (s *Server) named(name string) User {
	u, ok := s.users[name]
	if !ok {
		u.Name = name
	}
	if namespace, _, ok := accountOf(name); ok && len(u.Groups) == 0 {
		u.Groups = accountGroups(namespace)
	}
	return u.inside()
}

// inside returns the user with the group of those who are known.
func (u User) inside() User {
	if u.Name != anonymous && !u.in(authenticated) && !u.in(unauthenticated) {
		u.Groups = append(slices.Clip(u.Groups), authenticated)
	}
	return u
}

func (u *User) in(group string) bool { return slices.Contains(u.Groups, group) }

// user returns who makes a request.
func (s *Server) user(r *http.Request) (*User, *rest.Status) {
	if len(s.options.Tokens) == 0 {
		return new(User{Name: admin, Groups: []string{masters}}.inside()), nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return &User{Name: anonymous, Groups: []string{unauthenticated}}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if u, ok := s.tokens[token]; ok {
		return &u, nil
	}
	return nil, unauthorized()
}

// accountOf takes the name of a service account's user apart.
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

// nodeOf returns the node that a user is.
func nodeOf(user string) (name string, ok bool) {
	name, ok = strings.CutPrefix(user, nodePrefix)
	return name, ok && len(valid.Subdomain(name)) == 0
}
