package fakeapi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// acting asks for the rights that an impersonation takes, one by one.
type acting struct {
	s    *Server
	by   *User
	mode string // "" is the old way
}

// actAs asks for all the rights that it takes to make a request as another user, and returns that
// user.
func (s *Server) actAs(mode string, wanted, by *User, request Access) (*User, *rest.Status) {
	a := &acting{s: s, by: by, mode: mode}
	if mode != "" {
		request.Verb = "impersonate-on:" + mode + ":" + request.Verb
		if st := s.authorize(request.by(by)); st != nil {
			return nil, st
		}
	}
	u := *wanted
	st := a.name(&u)
	if st == nil && u.UID != "" {
		st = s.authorize(a.access(authentication, "uids", u.UID))
	}
	if st == nil {
		st = a.groups(wanted.Groups)
	}
	if st == nil {
		st = a.extra(wanted.Extra)
	}
	if st != nil {
		return nil, st
	}
	if u.Name == anonymous && !u.in(unauthenticated) {
		u.Groups = append(slices.Clip(u.Groups), unauthenticated)
	}
	return new(u.inside()), nil
}

// access is the right to take over one property of a user.
func (a *acting) access(group, resource, name string) Access {
	verb := "impersonate"
	if a.mode != "" {
		verb += ":" + a.mode
	}
	return Access{Verb: verb, Group: group, Resource: resource, Name: name}.by(a.by)
}

// people returns the API group of the resources users and groups.
func (a *acting) people() string {
	if a.mode == "" {
		return ""
	}
	return authentication
}

// name asks for the name, and adds the groups that come with it.
func (a *acting) name(u *User) *rest.Status {
	access := a.access(a.people(), "users", u.Name)
	if node, ok := nodeOf(u.Name); ok && a.mode != "" {
		access.Resource, access.Name = "nodes", node
		if a.mode == "associated-node" {
			access.Name = "*"
		}
		u.Groups = []string{nodesGroup}
	}
	if namespace, name, ok := accountOf(u.Name); ok {
		access.Resource, access.Namespace, access.Name = "serviceaccounts", namespace, name
		if len(u.Groups) == 0 {
			u.Groups = accountGroups(namespace)
		}
	}
	return a.s.authorize(access)
}

// many is how many it takes for the right to all of them to be asked for first.
const many = 4

// groups asks for the groups.
func (a *acting) groups(groups []string) *rest.Status {
	access := a.access(a.people(), "groups", "")
	if a.mode != "" {
		switch {
		case slices.Contains(groups, ""):
			return forbidden(access, "impersonating the empty string group is not allowed")
		case slices.Contains(groups, masters):
			access.Name = masters
			return forbidden(access, "impersonating the system:masters group is not allowed")
		}
		if access.Name = "*"; len(groups) >= many && a.s.authorize(access) == nil {
			return nil
		}
	}
	for _, access.Name = range groups {
		if st := a.s.authorize(access); st != nil {
			return st
		}
	}
	return nil
}

// extra asks for what else is said about the user.
func (a *acting) extra(extra map[string][]string) *rest.Status {
	access := a.access(authentication, "userextras", "")
	values := 0
	for _, key := range value.Names(extra) {
		values += len(extra[key])
		if problem := extraProblem(key, extra[key]); problem != "" && a.mode != "" {
			return forbidden(access, problem)
		}
	}
	if access.Subresource, access.Name = "*", "*"; a.mode != "" && max(len(extra), values) >= many && a.s.authorize(access) == nil {
		return nil
	}
	for _, access.Subresource = range value.Names(extra) {
		for _, access.Name = range extra[access.Subresource] {
			if st := a.s.authorize(access); st != nil {
				return st
			}
		}
	}
	return nil
}

const extraPathFormat = `[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`

var extraPathPattern = regexp.MustCompile("^" + extraPathFormat + "$")

// extraProblem returns what is wrong with one thing that is said about a user, or "".
func extraProblem(key string, values []string) string {
	if key == "" {
		return "impersonating the empty string key in extra is not allowed"
	}
	var problems []string
	add := func(part, message string) {
		problems = append(problems, "extra.key: Invalid value: "+strconv.Quote(part)+": "+message)
	}
	if host, path, _ := strings.Cut(key, "/"); host == "" || path == "" {
		add(key, `must be a domain-prefixed path (such as "acme.io/foo")`)
	} else {
		for _, p := range valid.Subdomain(host) {
			add(host, p)
		}
		if !extraPathPattern.MatchString(path) {
			add(path, "Invalid path (regex used for validation is '"+extraPathFormat+"')")
		}
	}
	switch {
	case len(problems) > 0:
		return "impersonating an invalid key in extra is not allowed: " + valid.Join(problems)
	case key != strings.ToLower(key):
		return fmt.Sprintf("impersonating a non-lowercase key in extra is not allowed: %q", key)
	case len(values) == 0:
		return "impersonating empty values in extra is not allowed"
	case slices.Contains(values, ""):
		return "impersonating the empty string value in extra is not allowed"
	}
	return ""
}
