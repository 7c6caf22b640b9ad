// Package stream is channels and contexts: results, stages, backoff and retry. It knows nothing of
// Kubernetes.
//
// A stage takes a context and a channel, starts its goroutines, and returns a channel at once.
// Stages compose by passing the output of one as the input of the next. An operation with one
// answer returns a channel of one [Result]; one with many answers returns a channel that is closed
// at the end.
//
//	squares := stream.MapOrdered(ctx, numbers, 4, square) // four at a time, order kept
//	for {
//		select {
//		case n, ok := <-squares:
//			if !ok {
//				return context.Cause(ctx) // nil: complete
//			}
//			sum += n
//		case r := <-saved: // one answer: a channel of one Result, closed after it
//			saved = nil // a closed channel is always ready, a nil one never
//			report(r.Value, r.Err)
//		}
//	}
//
//	page, err := stream.Await(get(ctx, url)) // when blocking is what you want
//
// # Guarantees
//
//   - The context is the only off switch. Cancelling it ends every stage, even when nobody reads
//     its output and nobody closes its input. Nobody ever has to drain a channel.
//   - A closed output means that the goroutines behind it are gone. A stage ends as soon as its
//     context is cancelled, except that it waits for a function of the caller that is still
//     running.
//   - Nothing is delivered once the sender has seen that the context is done.
//   - Channels are unbuffered: a slow reader slows its sources. [Latest] alone decouples them, and
//     its memory is bounded by the number of distinct keys that are pending. The one value of a
//     Result channel is buffered, so that nobody has to read it.
//   - A value that has been sent is given away: the sender never touches it again.
//   - No function returns a nil channel.
//
// # Errors
//
// An error in a stream of results is its last value. What goes on after a problem tells it as a
// value, as the reports of [Retry] do. A stream of results that is closed while its context lives
// is complete; one whose context has ended is not, and [Collect] and [Range] then give the
// [context.Cause].
//
// Mistakes of the programmer, such as a nil function, a nil input channel, or a bad number, panic
// with a message that begins with "stream: ".
package stream
