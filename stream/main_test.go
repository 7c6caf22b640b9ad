package stream_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/stream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	errRefused  = errors.New("refused")
	errShutdown = errors.New("shutting down")
)

// feed sends the values, then closes the channel.
func feed[T any](ctx context.Context, values ...T) <-chan T {
	return stream.Generate(ctx, func(_ context.Context, send func(T) bool) {
		for _, v := range values {
			if !send(v) {
				return
			}
		}
	})
}

// all reads until the channel is closed.
func all[T any](in <-chan T) []T {
	var values []T
	for v := range in {
		values = append(values, v)
	}
	return values
}

// wantOpen fails the test unless in is open and has nothing to deliver. It must run in a bubble.
func wantOpen[T any](t *testing.T, in <-chan T) {
	t.Helper()
	synctest.Wait()
	select {
	case v, ok := <-in:
		t.Errorf("received %v, %v; want an open channel without a value", v, ok)
	default:
	}
}

// wantClosed fails the test unless in is already closed. It must run in a bubble.
func wantClosed[T any](t *testing.T, in <-chan T) {
	t.Helper()
	synctest.Wait()
	select {
	case v, ok := <-in:
		if ok {
			t.Errorf("received %v; want a closed channel", v)
		}
	default:
		t.Error("the channel is open; want it closed")
	}
}

// wantPanic fails the test unless f panics with the message.
func wantPanic(t *testing.T, message string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != message {
			t.Errorf("panic is %v; want %q", got, message)
		}
	}()
	f()
}
