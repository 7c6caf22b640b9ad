// Package stream provides the channel building blocks of the library: results, stages, backoff and
// retry. It knows nothing of Kubernetes.
//
// A stage takes a context and a channel, starts its goroutines, and returns a channel at once.
// Stages compose: the output of one is the input of the next. An operation with one answer returns
// a channel that delivers one [Result]; an operation with many answers returns a channel that is
// closed at the end.
//
//	squares := stream.MapOrdered(ctx, numbers, 4, square) // four at a time, order kept
//	for {
//		select {
//		case n, ok := <-squares:
//			if !ok {
//				return context.Cause(ctx) // nil: complete
//			}
//			sum += n
//		case r := <-saved: // one answer: a channel that delivers one Result and is closed
//			saved = nil // a closed channel is always ready, a nil one never
//			report(r.Value, r.Err)
//		}
//	}
//
//	page, err := stream.Await(get(ctx, url)) // when blocking is what you want
//
// # Guarantees
//
//   - The context is the only off switch. Cancelling it ends every stage, even if nobody reads the
//     output and nobody closes the input. You never have to drain a channel.
//   - Once an output is closed, the goroutines that fed it are gone. A stage ends as soon as its
//     context is cancelled, except that it waits for a function of the caller that is still
//     running.
//   - Nothing is delivered once the sender has seen that the context is done.
//   - Channels are unbuffered: a slow reader slows down its sources. Only [Latest], [DebounceBy] and
//     [ThrottleBy] decouple them, and their memory is bounded by the number of distinct keys that
//     are pending. The one value of a Result channel is buffered, so nobody has to read it.
//   - A value that has been sent is given away: the sender never touches it again. Only the outputs
//     of [Tee] share theirs.
//   - No function returns a nil channel.
//
// In practice you write a loop around a select and never think about cleaning up: cancel the
// context and everything behind your channels goes away. When you only want the answer, wrap the
// call in [Await]; for many answers use [Collect] or range over [Range]. You can plug the stages
// together freely, and your own stages fit in as long as they keep to the same rules: [Generate],
// [Send] and [Recv] do most of that for you.
//
// # Errors
//
// An error in a stream of results is its last value. A stream that goes on after a problem reports
// the problem as a value, as [Retry] does. If a stream of results is closed while its context is
// alive, it is complete. If its context has ended, it may not be, and [Collect] and [Range] return
// the [context.Cause].
//
// Programming mistakes, such as a nil function, a nil input channel or a number out of range, panic
// with a message that begins with "stream: ".
package stream
