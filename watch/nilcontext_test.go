package watch_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// A nil context panics where the mistake was made.
func TestNilContextPanics(t *testing.T) {
	var none context.Context
	events := make(chan watch.Event[rest.Object])
	for name, call := range map[string]func(){
		"watch: nil context":               func() { watch.Events(none, rest.For[rest.Object](nil, "Pod"), watch.Options{}) },
		"watch: nil context ":              func() { watch.Keep(none, events, watch.Names("a")) },
		"watch: Latest of a nil context":   func() { watch.Latest(none, events) },
		"fakeapi: Start needs a context":   func() { _, _ = fakeapi.Start(none, fakeapi.Options{}) },
		"watch: nil context (bad filters)": func() { watch.Keep(none, events, watch.Names()) },
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); got == "<nil>" || got[:5] != name[:5] {
					t.Errorf("it panics with %q, want %q", got, name)
				}
			}()
			call()
		}()
	}
}
