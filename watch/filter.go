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

// A Filter decides by an event's type and key whether it is kept. It reads no object, so that what Options.Keep drops is
// never decoded. WatchFailed and Synced pass every filter. The zero Filter keeps everything.
type Filter struct {
	keep func(Type, rest.Key) bool
	err  error
}

// Names keeps Added, Modified and Deleted events of the objects whose name fits any of the patterns; other events pass.
//
// A pattern with * or ? is a glob, as in [path.Match]; one without is the exact name. A malformed pattern, one that no
// object can be named, or none at all is an error of the watch that uses the filter.
func Names(patterns ...string) Filter {
	if len(patterns) == 0 {
		return Filter{err: errors.New("Names has no pattern; it takes one or more")}
	}
	exact := make(map[string]bool, len(patterns))
	var globs []string
	for _, p := range patterns {
		if !isName(p) {
			return Filter{err: fmt.Errorf("Names has %q, which no object can be named; it takes names without a namespace, and globs", p)}
		}
		if !strings.ContainsAny(p, "*?") {
			exact[p] = true
			continue
		}
		if _, err := path.Match(p, ""); err != nil {
			return Filter{err: fmt.Errorf("Names has the pattern %q, which is malformed; a glob takes * ? [a-z] and \\", p)}
		}
		globs = append(globs, p)
	}
	return byName(func(name string) bool {
		return exact[name] || slices.ContainsFunc(globs, func(p string) bool {
			ok, _ := path.Match(p, name) // the pattern was tried above
			return ok
		})
	})
}

// isName reports whether an object may have the name, or match it as a glob.
func isName(s string) bool {
	return s != "" && s != "." && s != ".." && !strings.ContainsAny(s, "/%") && !strings.ContainsFunc(s, unicode.IsControl)
}

// NamesMatching keeps Added, Modified and Deleted events of the objects in whose name any of the expressions is found
// (searched, not anchored); other events pass. A nil expression, or none at all, is an error of the watch that uses it.
func NamesMatching(expressions ...*regexp.Regexp) Filter {
	if len(expressions) == 0 || slices.Contains(expressions, nil) {
		return Filter{err: errors.New("NamesMatching has no expression, or a nil one; it takes one or more")}
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

// Types keeps events of the given types, out of Added, Modified, Deleted, Error and Bookmark. Any other type, or none at
// all, is an error of the watch that uses the filter. A Bookmark comes only with Options.Bookmarks. The Error of an object
// that does not decode passes with the type of the event that brought it: a failure is not lost to a filter.
func Types(types ...Type) Filter {
	if len(types) == 0 {
		return Filter{err: errors.New("Types has no type; it takes ADDED, MODIFIED, DELETED, ERROR, BOOKMARK")}
	}
	for _, t := range types {
		switch t {
		case Added, Modified, Deleted, Error, Bookmark:
		case Synced, WatchFailed:
			return Filter{err: fmt.Errorf("Types has %s, which passes every filter; it takes ADDED, MODIFIED, DELETED, ERROR, BOOKMARK", t)}
		default:
			return Filter{err: fmt.Errorf("Types has %q; it takes ADDED, MODIFIED, DELETED, ERROR, BOOKMARK", t)}
		}
	}
	types = slices.Clone(types)
	return Filter{keep: func(t Type, _ rest.Key) bool { return slices.Contains(types, t) }}
}

// Or keeps what any of the filters keeps. Filters in a list, as in Options.Keep, must all agree instead.
func Or(filters ...Filter) Filter {
	if len(filters) == 0 {
		return Filter{err: errors.New("Or has no filter; it takes one or more")}
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
	return f.keep == nil || t == WatchFailed || t == Synced || f.keep(t, k)
}

// filters is a list of them that must all agree.
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

// matter reports whether any event of the object could be kept: such an object is followed across a relist.
func (fs filters) matter(k rest.Key) bool {
	return fs.keep(Added, k) || fs.keep(Modified, k) || fs.keep(Deleted, k)
}

// Keep is the stage that passes the events which every filter keeps. It does to a channel of events what Options.Keep
// does before decoding. A filter that is in error gives one WatchFailed that says so, and the channel closes.
func Keep[T any](ctx context.Context, in <-chan Event[T], f ...Filter) <-chan Event[T] {
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
