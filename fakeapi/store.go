package fakeapi

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// change is one entry of a resource's history.
type change struct {
	version   uint64
	key       string
	namespace string
	obj, prev *object // obj is nil for a deletion, prev for a creation
	last      *object // prev at the version of the change, once a watch has needed it
}

// next raises the server's version. The caller holds the mutex.
func (s *Server) next() uint64 {
	s.version++
	close(s.raised)
	s.raised = make(chan struct{})
	return s.version
}

// record stores a change, tells the watches, and trims the history. The caller
// holds the mutex, and waits for the watches that are full after it let go.
func (s *Server) record(r *resource, c *change) {
	if c.obj != nil {
		r.objects[c.key] = c.obj
	} else {
		delete(r.objects, c.key)
	}
	r.history = append(r.history, c)
	if n := len(r.history) - s.options.History; n > 0 {
		r.oldest = r.history[n-1].version
		r.history = append([]*change(nil), r.history[n:]...)
	}
	for w := range r.watches {
		w.offer(c)
	}
}

// forget drops all history of a resource. The caller holds the mutex.
func (r *resource) forget(version uint64) {
	r.history, r.oldest = nil, version
}

// Expire forgets all history, as a compaction does: each resource version that
// was handed out before is too old for a watch and for the next page of a list,
// which get 410 Expired. Streams that are open go on.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.next()
	for _, r := range s.resources {
		r.forget(v)
	}
}

// at returns the objects as they were at a version, and whether the history
// goes back so far. The caller holds the mutex.
func (r *resource) at(version uint64) (map[string]*object, bool) {
	if version < r.oldest {
		return nil, false
	}
	objects := maps.Clone(r.objects)
	for i := len(r.history) - 1; i >= 0 && r.history[i].version > version; i-- {
		if c := r.history[i]; c.prev != nil {
			objects[c.key] = c.prev
		} else {
			delete(objects, c.key)
		}
	}
	return objects, true
}

// insert stores a new object. The caller holds the mutex.
func (s *Server) insert(r *resource, content rest.Object) *object {
	v := s.next()
	o := stamp(content, v)
	s.record(r, &change{version: v, key: key(content.Namespace(), content.Name()), namespace: content.Namespace(), obj: o})
	return o
}

// replace stores another version of an object. The caller holds the mutex.
func (s *Server) replace(r *resource, old *object, content rest.Object) *object {
	v := s.next()
	o := stamp(content, v)
	s.record(r, &change{version: v, key: key(content.Namespace(), content.Name()), namespace: content.Namespace(), obj: o, prev: old})
	return o
}

// remove deletes an object and returns its last state at the version of its
// deletion. The caller holds the mutex.
func (s *Server) remove(r *resource, old *object) *object {
	v := s.next()
	namespace, name := old.content.Namespace(), old.content.Name()
	s.record(r, &change{version: v, key: key(namespace, name), namespace: namespace, prev: old})
	return stamp(old.content, v)
}

// checkNamespace refuses a new object whose namespace is missing or ends. The
// caller holds the mutex.
func (s *Server) checkNamespace(r *resource, namespace, name string) *rest.Status {
	if !r.kind.Namespaced || s.options.AnyNamespace {
		return nil
	}
	namespaces := s.find("", "namespaces")
	if namespaces == nil {
		return nil
	}
	ns, ok := namespaces.objects[key("", namespace)]
	if !ok {
		return namespaces.notFound(namespace)
	}
	if ns.content.String("metadata", "deletionTimestamp") == "" {
		return nil
	}
	d := r.details(name)
	d.Causes = []rest.StatusCause{{
		Type: "NamespaceTerminating", Message: "namespace " + namespace + " is being terminated", Field: "metadata.namespace",
	}}
	return failure(http.StatusForbidden, rest.ReasonForbidden,
		fmt.Sprintf("%s %q is forbidden: unable to create new content in namespace %s because it is being terminated",
			r.kind.Resource(), name, namespace), d)
}

// find returns a resource by group and plural, of any version; nil if there is
// none.
func (s *Server) find(group, plural string) *resource {
	for _, r := range s.order {
		if r.kind.Group == group && r.kind.Plural == plural {
			return r
		}
	}
	return nil
}

// now is the time as objects show it.
func now() string { return time.Now().UTC().Format(time.RFC3339) }

// newUID returns a random UUID, version 4. The caller holds the mutex.
func (s *Server) newUID() string {
	a, b := s.random.Uint64(), s.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		uint32(a>>32), uint16(a>>16), a&0xfff, 0x8000|b>>50&0x3fff, b&0xffffffffffff)
}

// suffixLetters are those of the real server's generated names.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

// generateName returns a name with the prefix. The caller holds the mutex.
func (s *Server) generateName(prefix string) string {
	const maxPrefix = 63 - 5
	if len(prefix) > maxPrefix {
		prefix = prefix[:maxPrefix]
	}
	suffix := make([]byte, 5)
	for i := range suffix {
		suffix[i] = suffixLetters[s.random.IntN(len(suffixLetters))]
	}
	return prefix + string(suffix)
}

// parseVersion reads a resource version; "" is 0.
func parseVersion(v string) (uint64, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resourceVersion: Invalid value: %q: %w", v, err)
	}
	return n, nil
}
