package fakeapi

import (
	"time"

	"github.com/tideway-go/tideway/rest"
)

// Options configure a server. The zero value is a server of all built-in kinds, with nothing but
// the namespaces that every cluster has.
type Options struct {
	// Kinds are served in addition to the built-in kinds that a server serves by default: custom
	// kinds, and built-in ones that are off by default.
	Kinds []rest.Served

	// Objects are stored before the server answers: maps, structs, or anything that encodes to the
	// JSON of an object. They are stored as by [Server.Create], with any resource version that they
	// have.
	Objects []any

	// AnyNamespace lets objects be created in namespaces that do not exist. Default: 404, as the
	// real server answers. The namespaces default, kube-system, kube-public and kube-node-lease
	// exist.
	AnyNamespace bool

	// Collect makes the server do the work of a cluster's garbage collector. With each write, and
	// before anybody sees what the write has changed, it deletes objects whose owners are gone,
	// deletes the dependents of an object that is deleted in the foreground and then the object,
	// and removes an object that is deleted with Orphan from the owner references of its
	// dependents. Default: as with an API server alone, owner references mean nothing, and the
	// finalizers foregroundDeletion and orphan stay.
	Collect bool

	// History is how many changes of each resource are remembered, for watches that come back and
	// for lists of an older version. Default: 1000.
	History int

	// BookmarkEvery is how often a watch that allows bookmarks gets one. Default: a minute; -1:
	// never.
	BookmarkEvery time.Duration

	// NoInitialEventsEnd leaves out the bookmark that ends the initial events of a watch, as some
	// proxies and aggregated servers do.
	NoInitialEventsEnd bool

	// NoWatchList refuses sendInitialEvents with 422, as servers without it do.
	NoWatchList bool

	// Queue is how many events of a watch may wait to be read before the watch is cut.
	// Default: 100.
	Queue int

	// Tokens are the bearer tokens that are accepted, with the names of their users. If there are
	// any, a request with another token gets 401, and a request without a token is made by the user
	// system:anonymous, who may do next to nothing. Default: everybody is the user admin, who is in
	// the group system:masters.
	Tokens map[string]string

	// Users say more about users than their names. Other users are only in the groups that
	// everybody is in, and service accounts in theirs.
	Users []User

	// RBAC lets roles decide what users may do: those that are stored in the server and bound to
	// them, as on a real cluster. Of the roles and bindings that every cluster has, the server has
	// cluster-admin, system:discovery, system:basic-user and system:public-info-viewer. See the
	// documentation of the package. Default: roles mean nothing.
	RBAC bool

	// Allow decides what users may do. With RBAC it is asked about what roles do not allow. Without
	// RBAC it is asked about everybody but system:anonymous, and the group system:masters means
	// nothing. It does not decide whether users may grant rights that they do not have (the verbs
	// escalate and bind). Default: without RBAC everything is allowed, with RBAC nothing else.
	Allow func(Access) bool

	// HTTP1 makes Client speak HTTP/1.1 on its memory connections. Default: HTTP/2, as clients of
	// real servers do: a half-open connection is noticed by its pings. The server always
	// understands both.
	HTTP1 bool

	// Seed seeds the random numbers in UIDs, generated names and timeouts. Default: 1, so that a
	// test sees the same ones each time.
	Seed uint64
}

// withDefaults returns a copy with the defaults filled in.
func (o Options) withDefaults() Options {
	if o.History <= 0 {
		o.History = 1000
	}
	if o.BookmarkEvery == 0 {
		o.BookmarkEvery = time.Minute
	}
	if o.Queue <= 0 {
		o.Queue = 100
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	return o
}
