package stream_test

import (
	"context"
	"testing"

	"github.com/tideway-go/tideway/stream"
)

// numbers sends 0, 1, 2, ... without end.
func numbers(ctx context.Context) <-chan int {
	return stream.Generate(ctx, func(_ context.Context, send func(int) bool) {
		for n := 0; send(n); n++ {
		}
	})
}

func benchmarkStage(b *testing.B, stage stream.Stage[int, int]) {
	out := stage(b.Context(), numbers(b.Context()))
	b.ReportAllocs()
	for b.Loop() {
		<-out
	}
}

func BenchmarkSend(b *testing.B) {
	ctx := b.Context()
	out := make(chan int)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range out {
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		stream.Send(ctx, out, 1)
	}
	close(out)
	<-done
}

// BenchmarkSendBuffered measures Send itself, without the cost of waking a reader.
func BenchmarkSendBuffered(b *testing.B) {
	ctx := b.Context()
	out := make(chan int, 1)
	b.ReportAllocs()
	for b.Loop() {
		stream.Send(ctx, out, 1)
		<-out
	}
}

func BenchmarkMap(b *testing.B) {
	benchmarkStage(b, func(ctx context.Context, in <-chan int) <-chan int {
		return stream.Map(ctx, in, func(n int) int { return n + 1 })
	})
}

func BenchmarkFilter(b *testing.B) {
	benchmarkStage(b, func(ctx context.Context, in <-chan int) <-chan int {
		return stream.Filter(ctx, in, func(n int) bool { return n%2 == 0 })
	})
}

func BenchmarkMapOrdered(b *testing.B) {
	benchmarkStage(b, func(ctx context.Context, in <-chan int) <-chan int {
		return stream.MapOrdered(ctx, in, 4, func(n int) int { return n + 1 })
	})
}

func BenchmarkLatest(b *testing.B) {
	benchmarkStage(b, func(ctx context.Context, in <-chan int) <-chan int {
		return stream.Latest(ctx, in, func(n int) int { return n % 1000 })
	})
}
