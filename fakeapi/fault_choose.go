package fakeapi

import (
	"net/http"
	"slices"
	"time"
)

// On chooses requests by verb (get, list, watch, create, update, patch, delete, deletecollection)
// and resource ("pods", "deployments.apps"), or subresource ("pods/status"). "*" chooses all of
// them; a resource includes its subresources. [Server.Inject] panics if the server has no such
// resource, or the resource no such verb.
func (f Fault) On(verb, resource string) Fault {
	f.match.verb, f.match.resource = verb, resource
	return f
}

// In chooses requests in a namespace.
func (f Fault) In(namespace string) Fault {
	f.match.namespace = namespace
	return f
}

// Named chooses requests for the objects of a name.
func (f Fault) Named(name string) Fault {
	f.match.name = name
	return f
}

// From chooses requests whose User-Agent contains a text.
func (f Fault) From(agent string) Fault {
	f.match.agent = agent
	return f
}

// When chooses requests for which a function returns true. The function must touch neither the
// server nor the body.
func (f Fault) When(cond func(*http.Request) bool) Fault {
	f.match.when = cond
	return f
}

// Nth leaves the first n-1 of the chosen requests alone.
func (f Fault) Nth(n int) Fault {
	f.skip = n - 1
	return f.unless(n < 1, "Nth: the first request is number 1")
}

// Times makes the fault happen to n requests, one after the other.
func (f Fault) Times(n int) Fault {
	f.times = n
	return f.unless(n < 1, "Times: a fault happens at least once")
}

// Always makes the fault happen to every chosen request.
func (f Fault) Always() Fault {
	f.times = -1
	return f
}

// BeforeHeaders makes a Cut, Truncate, Abort, Silence or Freeze happen instead of an answer.
func (f Fault) BeforeHeaders() Fault {
	f.stop.early = true
	return f.at(beforeHeaders)
}

// AfterEvents makes the fault happen after n events of a watch. A fault with this moment only
// happens to watches.
func (f Fault) AfterEvents(n int) Fault {
	f.stop.events = n
	return f.at(afterEvents).unless(n < 0, "AfterEvents: the number is negative")
}

// AfterBytes makes the fault happen after n bytes of the body, even in the middle of an event. It
// waits for a body of at least n bytes.
func (f Fault) AfterBytes(n int) Fault {
	f.stop.bytes = n
	return f.at(afterBytes).unless(n < 0, "AfterBytes: the number is negative")
}

// After makes the fault happen to a watch, some time after its headers. Other answers are complete
// at once.
func (f Fault) After(d time.Duration) Fault {
	f.stop.after = d
	return f.at(afterTime).unless(d < 0, "After: the duration is negative")
}

// at notes when the fault is to happen.
func (f Fault) at(m moment) Fault {
	f.when = append(slices.Clip(f.when), m)
	return f
}
