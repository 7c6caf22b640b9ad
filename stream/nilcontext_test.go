package stream_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/stream"
)

// Every function that takes a context, or a function, panics at once if it is nil.
func TestNilPanics(t *testing.T) {
	var none context.Context
	in, out := make(chan int), make(chan int)
	results := make(chan stream.Result[int])
	key := func(int) int { return 0 }
	calls := map[string]func(){
		"Latest":     func() { stream.Latest(none, in, key) },
		"Merge":      func() { stream.Merge(none, in) },
		"Go":         func() { stream.Go(none, func(context.Context) (int, error) { return 0, nil }) },
		"Collect":    func() { _, _ = stream.Collect(none, results) },
		"Range":      func() { stream.Range(none, func(context.Context, int) <-chan stream.Result[int] { return results }, 0) },
		"Generate":   func() { stream.Generate(none, func(context.Context, func(int) bool) {}) },
		"Send":       func() { stream.Send(none, out, 1) },
		"Recv":       func() { stream.Recv(none, in) },
		"Map":        func() { stream.Map(none, in, key) },
		"Filter":     func() { stream.Filter(none, in, func(int) bool { return true }) },
		"MapOrdered": func() { stream.MapOrdered(none, in, 1, key) },
		"From":       func() { stream.From(none, slices.Values([]int{1})) },
		"Tee":        func() { stream.Tee(none, in, 1) },
		"Batch":      func() { stream.Batch(none, in, 1, 0) },
		"MergeAll":   func() { stream.MergeAll(none, make(chan (<-chan int))) },
		"Debounce":   func() { stream.Debounce(none, in, 1) },
		"DebounceBy": func() { stream.DebounceBy(none, in, 1, key) },
		"Throttle":   func() { stream.Throttle(none, in, 1) },
		"ThrottleBy": func() { stream.ThrottleBy(none, in, 1, key) },
		"Retry": func() {
			stream.Retry(none, stream.Backoff{}, func(context.Context, *stream.Attempt[int]) error { return nil }, nil)
		},
	}
	for name, call := range calls {
		if got := panicOf(call); got != "stream: nil context" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if d := cmp.Diff(takingContexts(t), slices.Sorted(maps.Keys(calls))); d != "" {
		t.Errorf("the functions that take a context (-package +test)\n%s", d)
	}
	ctx := t.Context()
	for name, call := range map[string]func(){
		"Latest":     func() { stream.Latest[int](ctx, in, nil) },
		"Go":         func() { stream.Go[int](ctx, nil) },
		"Range":      func() { stream.Range[int, int](ctx, nil, 0) },
		"Generate":   func() { stream.Generate[int](ctx, nil) },
		"Map":        func() { stream.Map[int, int](ctx, in, nil) },
		"Filter":     func() { stream.Filter(ctx, in, nil) },
		"MapOrdered": func() { stream.MapOrdered[int, int](ctx, in, 1, nil) },
		"Retry":      func() { stream.Retry[int](ctx, stream.Backoff{}, nil, nil) },
	} {
		if got := panicOf(call); !regexp.MustCompile(`^stream: \w+ needs a function`).MatchString(got) {
			t.Errorf("%s of a nil function: %q", name, got)
		}
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

// takingContexts returns the exported functions of the package whose first argument is a context.
func takingContexts(t *testing.T) []string {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	signature := regexp.MustCompile(`(?m)^func ([A-Z]\w*)(?:\[.*\])?\(\s*ctx context\.Context`)
	var names []string
	for _, f := range files {
		text, err := os.ReadFile(f.Name())
		if err != nil || regexp.MustCompile(`_test\.go$`).MatchString(f.Name()) {
			continue
		}
		for _, m := range signature.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	return names
}
