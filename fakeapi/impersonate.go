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

// authentication is the API group of the resources that stand for users.
const authentication = "authentication.k8s.io"

// impersonation is one of the ways in which users may act as others. All but the last also need the
// right to do so with requests of this kind.
type impersonation struct {
	mode    string // "" is the old way
	applies func(wanted, by *User) bool
}

// impersonations are listed in the order in which they are tried.
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

// impersonates reports whether the headers may ask to act as somebody else.
func impersonates(h http.Header) bool {
	for name := range h {
		if strings.HasPrefix(name, "Impersonate-") {
			return true
		}
	}
	return false
}

// lastWay returns the way in which a user last impersonated somebody.
func (a *accounts) lastWay(by *User) (way int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	way, ok = a.impersonated[by.Name]
	return way, ok
}

// remember remembers the way in which a user impersonated somebody.
func (a *accounts) remember(by *User, way int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.impersonated[by.Name] = way
}

// impersonate returns the user as whom a request is to be answered: the one that its headers name,
// or the one who sent it.
func (s *Server) impersonate(h http.Header, by *User, q *query) (*User, *rest.Status) {
	wanted, st := wantedUser(h)
	if st != nil || wanted == nil {
		return by, st
	}
	last, found := s.accounts.lastWay(by) // what went well is tried first
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
			s.accounts.remember(by, i)
			return u, nil
		}
		if first == nil {
			first = st
		}
	}
	return by, first
}

// wantedUser reads the headers. It returns nil if they name nobody.
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
