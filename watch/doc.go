// Package watch follows a cluster on one channel that survives.
//
// [Events] lists what a handle names, tells each object as Added, then Synced, and goes on with every change. The channel
// outlives the server's timeouts, refusals, cut and half-open connections, and expired history; what went wrong is a value
// on the same channel, and it is retrying already. A program selects over it beside its timers, signals and results:
//
//	events := watch.Events(ctx, rest.For[corev1.Pod](client, "Pod").In("default"), watch.Options{})
//	for ev := range events {
//		switch ev.Type {
//		case watch.Added, watch.Modified:
//			pods[ev.Key] = ev.Object
//		case watch.Deleted:
//			delete(pods, ev.Key)
//		case watch.Error, watch.WatchFailed:
//			slog.Warn("watch", "err", ev.Err)
//		}
//	}
//
// # Guarantees
//
//   - One channel, in the server's order; nothing lost, nothing twice. After an expired history the difference is told.
//   - One request at a time for each watch, two goroutines of the library, and no queue.
//   - The channel closes when the context ends, when the limit of retries is reached, or after the one WatchFailed of
//     options that cannot be used, and at no other time. It is closed
//     after the request is off and the goroutines are at their end. Nobody has to drain it.
//   - Filters in Options.Keep work on metadata: what they drop is never decoded, yet moves the position.
//
// # Errors
//
// A WatchFailed carries an [*AttemptError] with the cause, the number of the attempt and the delay; errors.As finds the
// *rest.StatusError of a refusal in it, errors.Is finds [ErrGaveUp] when it was the last. An Error carries the Status that
// the server sent, as a *rest.StatusError, or a [*DecodeError] for an object that does not decode into T.
package watch
