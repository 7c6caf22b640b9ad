package stream_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/stream"
)

func TestSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out := make(chan int)
		sent := func() <-chan bool {
			done := make(chan bool, 1)
			go func() { done <- stream.Send(ctx, out, 1) }()
			return done
		}

		done := sent()
		wantOpen(t, done) // nobody reads
		if v := <-out; v != 1 {
			t.Errorf("received %d; want 1", v)
		}
		if !<-done {
			t.Error("Send is false after a delivery")
		}

		done = sent()
		wantOpen(t, done)
		start := time.Now()
		cancel()
		if <-done {
			t.Error("Send is true without a delivery")
		}
		if waited := time.Since(start); waited > 0 {
			t.Errorf("Send ended %v after the context", waited)
		}
	})
}

// A plain select would choose at random.
func TestSendPrefersADoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := make(chan int, 1)
	for range 100 {
		if stream.Send(ctx, out, 1) || len(out) > 0 {
			t.Fatal("Send delivered after the context was done")
		}
	}
}

func TestRecv(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in := make(chan int, 1)
		in <- 7
		if v, ok := stream.Recv(ctx, in); v != 7 || !ok {
			t.Errorf("received %v, %v; want 7, true", v, ok)
		}

		go func() {
			<-time.After(time.Minute)
			cancel()
		}()
		start := time.Now()
		if v, ok := stream.Recv(ctx, in); ok {
			t.Errorf("received %v; want false", v)
		}
		if waited := time.Since(start); waited != time.Minute {
			t.Errorf("Recv waited %v; want a minute", waited)
		}

		in <- 7
		for range 100 {
			if _, ok := stream.Recv(ctx, in); ok {
				t.Fatal("Recv took a value after the context was done")
			}
		}
		close(in)
		<-in
		if _, ok := stream.Recv(t.Context(), in); ok {
			t.Error("Recv is true for a closed channel")
		}
	})
}

func TestGenerateClosesAfterF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		returned := false
		out := stream.Generate(ctx, func(ctx context.Context, send func(int) bool) {
			<-ctx.Done()
			if send(1) {
				t.Error("send is true after the context was done")
			}
			<-time.After(time.Second) // some cleaning up
			returned = true
		})
		wantOpen(t, out)
		cancel()
		wantOpen(t, out)
		if v, ok := <-out; ok {
			t.Errorf("received %v; want a closed channel", v)
		}
		if !returned {
			t.Error("the channel was closed before f returned")
		}
	})
}
