package watch

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// A Filter decides by the type and the key of an event whether to keep it. It does not read
// objects, so events that Options.Keep drops are never decoded. WatchFailed, Recovered, Synced,
// Ended and AllSynced pass every filter. The zero Filter keeps everything.
type Filter struct {
	keep func(Type, rest.Key) bool
	err  error
}

// Names keeps Added, Modified and Deleted events of objects whose name matches any of the patterns.
// Events of other types pass.
//
// A pattern with * or ? is a glob, as in [path.Match]; a pattern without them is an exact name. A
// malformed pattern, a pattern that cannot match any name, or no pattern at all makes a watch that
// uses the filter fail.
func Names(patterns ...string) Filter {
	if len(patterns) == 0 {
		return Filter{err: errors.New("Names needs at least one pattern")}
	}
	exact := make(map[string]bool, len(patterns))
	var globs []string
	for _, p := range patterns {
		if !isName(p) {
			return Filter{err: fmt.Errorf("Names: %q is not a valid name or glob; use names without a namespace", p)}
		}
		if !strings.ContainsAny(p, "*?") {
			exact[p] = true
			continue
		}
		if _, err := path.Match(p, ""); err != nil {
			return Filter{err: fmt.Errorf("Names: the pattern %q is malformed; a glob may contain * ? [a-z] and \\", p)}
		}
		globs = append(globs, p)
	}
	return byName(func(name string) bool {
		return exact[name] || slices.ContainsFunc(globs, func(p string) bool {
			ok, _ := path.Match(p, name) // the pattern was checked above
			return ok
		})
	})
}

// isName reports whether s can be the name of an object, or a glob that matches one.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/%") && !strings.ContainsFunc(s, unicode.IsControl)
}

// NamesMatching keeps Added, Modified and Deleted events of objects whose name contains a match of
// any of the expressions, which are not anchored. Events of other types pass. A nil expression, or
// no expression at all, makes a watch that uses the filter fail.
func NamesMatching(expressions ...*regexp.Regexp) Filter {
	if len(expressions) == 0 || slices.Contains(expressions, nil) {
		return Filter{err: errors.New("NamesMatching needs at least one expression, and none may be nil")}
	}
	expressions = slices.Clone(expressions)
	return byName(func(name string) bool {
		return slices.ContainsFunc(expressions, func(e *regexp.Regexp) bool { return e.MatchString(name) })
	})
}

func byName(fits func(name string) bool) Filter {
	return Filter{keep: func(t Type, k rest.Key) bool {
		switch t {
		case Added, Modified, Deleted:
			return fits(k.Name)
		default:
			return true
		}
	}}
}

// Types keeps events of the given types: any of Added, Modified, Deleted, Error and Bookmark.
// Another type, or no type at all, makes a watch that uses the filter fail. A Bookmark is sent only
// with Options.Bookmarks. An object that does not decode passes as an Error if the filter keeps the
// type of the event that carried it, so that the failure is not hidden.
func Types(types ...Type) Filter {
	if len(types) == 0 {
		return Filter{err: errors.New("Types needs at least one of ADDED, MODIFIED, DELETED, ERROR, BOOKMARK")}
	}
	for _, t := range types {
		switch {
		case t.passes():
			return Filter{err: fmt.Errorf("Types: %s passes every filter; use ADDED, MODIFIED, DELETED, ERROR, BOOKMARK", t)}
		case !slices.Contains([]Type{Added, Modified, Deleted, Error, Bookmark}, t):
			return Filter{err: fmt.Errorf("Types: %q is not a type; use ADDED, MODIFIED, DELETED, ERROR, BOOKMARK", t)}
		}
	}
	types = slices.Clone(types)
	return Filter{keep: func(t Type, _ rest.Key) bool { return slices.Contains(types, t) }}
}

// Or keeps the events that any of the filters keeps. In a list of filters, as in Options.Keep, all
// of them must agree.
func Or(filters ...Filter) Filter {
	if len(filters) == 0 {
		return Filter{err: errors.New("Or needs at least one filter")}
	}
	filters = slices.Clone(filters)
	for _, f := range filters {
		if f.err != nil {
			return f
		}
	}
	return Filter{keep: func(t Type, k rest.Key) bool {
		return slices.ContainsFunc(filters, func(f Filter) bool { return f.keeps(t, k) })
	}}
}

func (f Filter) keeps(t Type, k rest.Key) bool {
	return f.keep == nil || t.passes() || f.keep(t, k)
}

// filters keep an event if all of them do.
type filters []Filter

func (fs filters) check() error {
	for _, f := range fs {
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

func (fs filters) keep(t Type, k rest.Key) bool {
	for _, f := range fs {
		if !f.keeps(t, k) {
			return false
		}
	}
	return true
}

// matter reports whether any event of the object could be kept. If so, a relist compares the
// object.
func (fs filters) matter(k rest.Key) bool {
	return fs.keep(Added, k) || fs.keep(Modified, k) || fs.keep(Deleted, k)
}

// Keep is a stage that passes the events that every filter keeps. It does to a channel of events
// what Options.Keep does before decoding. If a filter cannot be used, Keep reports that in one
// WatchFailed and closes the channel.
func Keep[T any](ctx context.Context, in <-chan Event[T], f ...Filter) <-chan Event[T] {
	if ctx == nil {
		panic("watch: nil context")
	}
	fs := filters(slices.Clone(f))
	if err := fs.check(); err != nil {
		return refused[T]("", "", &optionError{err})
	}
	return stream.Filter(ctx, in, func(ev Event[T]) bool {
		if e, ok := errors.AsType[*DecodeError](ev.Err); ok && fs.keep(e.Type, e.Key) {
			return true
		}
		return fs.keep(ev.Type, ev.Key)
	})
}
