package fakeapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// The headers of impersonation.
const (
	asUser  = "Impersonate-User"
	asUID   = "Impersonate-Uid"
	asGroup = "Impersonate-Group"
	asExtra = "Impersonate-Extra-"
)

// authentication is the group of the resources that stand for users.
const authentication = "authentication.k8s.io"

// impersonation is one of the ways in which somebody may act as another. All
// but the last need the right to do so with requests of this kind as well.
type impersonation struct {
	mode    string // "" is the old way
	applies func(wanted, by *User) bool
}

// impersonations are in the order in which they are tried.
var impersonations = []impersonation{
	{"associated-node", func(wanted, by *User) bool {
		node, ok := nodeOf(wanted.Name)
		_, _, account := accountOf(by.Name)
		return ok && account && wanted.nameOnly() && slices.Equal(by.Extra["authentication.kubernetes.io/node-name"], []string{node})
	}},
	{"arbitrary-node", func(wanted, _ *User) bool {
		_, ok := nodeOf(wanted.Name)
		return ok && wanted.nameOnly()
	}},
	{"serviceaccount", func(wanted, _ *User) bool {
		_, _, ok := accountOf(wanted.Name)
		return ok && wanted.nameOnly()
	}},
	{"user-info", func(wanted, _ *User) bool {
		_, node := nodeOf(wanted.Name)
		_, _, account := accountOf(wanted.Name)
		return !node && !account
	}},
	{"", func(_, _ *User) bool { return true }},
}

func (u *User) nameOnly() bool { return u.UID == "" && len(u.Groups) == 0 && len(u.Extra) == 0 }

// impersonate returns as whom a request is made, who may be somebody else than
// the one who makes it.
func (s *Server) impersonate(h http.Header, by *User, q *query) (*User, *rest.Status) {
	wanted, st := wantedUser(h)
	if st != nil || wanted == nil {
		return by, st
	}
	s.mu.Lock()
	last, found := s.impersonated[by.Name] // what went well is tried first
	s.mu.Unlock()
	order := make([]int, 0, len(impersonations)+1)
	if found {
		order = append(order, last)
	}
	for i := range impersonations {
		if !found || i != last {
			order = append(order, i)
		}
	}
	var first *rest.Status
	for _, i := range order {
		if !impersonations[i].applies(wanted, by) {
			continue
		}
		u, st := s.actAs(impersonations[i].mode, wanted, by, q.access())
		if st == nil {
			s.mu.Lock()
			s.impersonated[by.Name] = i
			s.mu.Unlock()
			return u, nil
		}
		if first == nil {
			first = st
		}
	}
	return by, first
}

// wantedUser reads the headers; nil is nobody.
func wantedUser(h http.Header) (*User, *rest.Status) {
	u := User{Name: h.Get(asUser), UID: h.Get(asUID), Groups: h.Values(asGroup)}
	extra := false
	for name, values := range h {
		key, ok := strings.CutPrefix(name, asExtra)
		if !ok {
			continue
		}
		extra = true
		key = strings.ToLower(key)
		if text, err := url.PathUnescape(key); err == nil {
			key = text
		}
		if u.Extra == nil {
			u.Extra = make(map[string][]string)
		}
		u.Extra[key] = append(u.Extra[key], values...)
	}
	switch {
	case u.Name != "":
		return &u, nil
	case u.UID == "" && len(u.Groups) == 0 && !extra:
		return nil, nil
	}
	shown := strings.Replace(fmt.Sprintf("%#v", &u), "&fakeapi.User{", "&user.DefaultInfo{", 1)
	return nil, badRequest("requested %s without impersonating a user name", shown)
}
