package fakeapi

import (
	"net/http"
	"time"
)

// On chooses requests by verb (get, list, watch, create, update, patch, delete, deletecollection)
// and resource ("pods", "deployments.apps"). "*" chooses all of them. [Server.Inject] panics if the
// server does not serve the resource.
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
	return f
}

// Times makes the fault happen to n requests, one after the other.
func (f Fault) Times(n int) Fault {
	f.times = n
	return f
}

// Always makes the fault happen to every chosen request.
func (f Fault) Always() Fault {
	f.times = -1
	return f
}

// BeforeHeaders makes a Cut, Truncate, Abort, Silence or Freeze happen instead of an answer.
func (f Fault) BeforeHeaders() Fault {
	f.stop.early = true
	return f
}

// AfterEvents makes the fault happen after n events of a watch.
func (f Fault) AfterEvents(n int) Fault {
	f.stop.events = n
	return f
}

// AfterBytes makes the fault happen after n bytes of the body, even in the middle of an event.
func (f Fault) AfterBytes(n int) Fault {
	f.stop.bytes = n
	return f
}

// After makes the fault happen some time after the headers.
func (f Fault) After(d time.Duration) Fault {
	f.stop.after = d
	return f
}
