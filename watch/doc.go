// Package watch follows a cluster on one channel that survives.
//
// [Events] lists the objects that a handle selects, sends each of them as Added, then Synced, and
// then sends every change. The channel outlives the server's timeouts, refusals, broken and
// half-open connections, and expired history. Whatever goes wrong arrives as a value on the same
// channel, and the watch is retrying already. A program selects over it together with its timers,
// signals and results:
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
//		case watch.Recovered:
//			slog.Info("watch is back", "after", ev.Recovery.Away)
//		}
//	}
//
// [Until] waits for one event, such as that of a pod that is ready, and answers like a verb.
//
// # Guarantees
//
//   - Events arrive on one channel and in the server's order. No event is lost, and none is sent
//     twice. If the history has expired, the watch sends the difference.
//   - A watch has one request open at a time. It uses two goroutines of the library and no queue.
//   - The channel closes when the context ends, when the limit of retries is reached, at the end of
//     a reading with Options.Once, or after the one WatchFailed that reports an unusable handle or
//     option, and at no other time. By then the request has ended and the goroutines are gone.
//     Nobody has to drain the channel.
//   - The filters in Options.Keep look at metadata only. An event that they drop is never decoded,
//     but the watch still resumes after it.
//
// In practice you call Events once and write one switch. You keep a map up to date, or you react to
// changes, and you log failures if you like: there is nothing to restart, no resource version to
// remember and no relist to write. If you want to stop, cancel the context. If you read slowly,
// nothing breaks: the watch waits for you and catches up. To follow several clusters, kinds or
// namespaces on one channel, put the watches into a [Group].
//
// # Errors
//
// A WatchFailed carries an [*AttemptError] with the cause, the number of the attempt and the delay.
// errors.As finds the *rest.StatusError of a refusal in it, and errors.Is finds [ErrGaveUp] in the
// last one. Once the watch is back, Recovered says how long it was away. An Error carries the
// Status that the server sent, as a *rest.StatusError, or a [*DecodeError] for an object that does
// not decode into T.
package watch
