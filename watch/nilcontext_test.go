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
	for _, tt := range []struct {
		want string
		call func()
	}{
		{"watch: nil context", func() { watch.Events(none, rest.For[rest.Object](nil, "Pod"), watch.Options{PageSize: 500}) }},
		{"watch: nil context", func() { watch.Keep(none, events, watch.Names("a")) }},
		{"watch: nil context", func() { watch.Keep(none, events, watch.Names()) }},
		{"watch: Latest of a nil context", func() { watch.Latest(none, events) }},
		{"watch: Erase of a nil context", func() { watch.Erase(none, events) }},
		{"watch: Erase of a nil channel", func() { watch.Erase[rest.Object](t.Context(), nil) }},
		{"watch: nil context", func() { watch.NewGroup[rest.Object](none) }},
		{"watch: Add of a nil function", func() { watch.NewGroup[rest.Object](t.Context()).Add("a", nil) }},
		{"watch: Until of a nil context", func() { watch.Until(none, events, watch.Gone) }},
		{"watch: Until of a nil channel", func() { watch.Until(t.Context(), nil, watch.Gone[rest.Object]) }},
		{"watch: Until of a nil condition", func() { watch.Until(t.Context(), events, nil) }},
		{"watch: When of a nil function", func() { watch.When[rest.Object](nil) }},
		{"watch: All of a nil condition", func() { watch.All(watch.Gone[rest.Object], nil) }},
		{"watch: Any of a nil condition", func() { watch.Any[rest.Object](nil) }},
		{"watch: Not of a nil condition", func() { watch.Not[rest.Object](nil) }},
		{"watch: Patient of a nil condition", func() { watch.Patient[rest.Object](nil) }},
		{"fakeapi: nil context", func() { _, _ = fakeapi.Start(none, fakeapi.Options{}) }},
	} {
		if got := recovered(tt.call); got != tt.want {
			t.Errorf("it panics with %q, want %q", got, tt.want)
		}
	}
}

func recovered(call func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	call()
	return ""
}
