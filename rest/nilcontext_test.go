package rest_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
)

// A nil context panics where the mistake was made, whatever takes it.
func TestNilContextPanics(t *testing.T) {
	c, s := scripted(t)
	pods := rest.For[rest.Object](c, "Pod").In("default")
	methods := 0
	for _, v := range []any{pods, pods.Endpoint(), c} {
		for m, f := range reflect.ValueOf(v).Methods() {
			if f.Type().NumIn() == 0 || f.Type().In(0) != reflect.TypeFor[context.Context]() {
				continue
			}
			methods++
			args := make([]reflect.Value, f.Type().NumIn())
			for i := range args {
				args[i] = reflect.Zero(f.Type().In(i))
			}
			if got := panicOf(func() { f.Call(args) }); got != "rest: nil context" {
				t.Errorf("%T.%s: %q", v, m.Name, got)
			}
		}
	}
	if methods < 18 {
		t.Errorf("only %d methods take a context", methods)
	}
	var none context.Context
	if got := panicOf(func() { rest.Evict(none, pods, "web", rest.DeleteOptions{}) }); got != "rest: nil context" {
		t.Errorf("Evict: %q", got)
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// A namespace that cannot exist is refused before any request.
func TestNamespaceIsChecked(t *testing.T) {
	c, s := scripted(t)
	for _, ns := range []string{"Default Ns", "Default", "a.b", "-a", "a-", "a_b", "é", "a b", strings.Repeat("a", 64)} {
		err := errOf(rest.For[rest.Object](c, "Pod").In(ns).Get(t.Context(), "web"))
		all := errOf(rest.For[rest.Object](c, "Pod").Create(t.Context(), &rest.Object{"metadata": map[string]any{"name": "web", "namespace": ns}}))
		for _, err := range []error{err, all} {
			if err == nil || !strings.Contains(err.Error(), "lower-case letters, digits and '-'") {
				t.Errorf("%q: %v", ns, err)
			}
		}
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}
