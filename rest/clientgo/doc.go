// Package clientgo makes Tideway clients from client-go configurations, and bridges the errors.
//
// It is a separate module, for programs that already depend on client-go. Whatever only client-go
// knows how to do (exec plugins, auth providers, wrappers, dialers) is done by client-go.
//
//	cfg, err := clientcmd.BuildConfigFromFlags("", path)
//	...
//	client, err := clientgo.New(cfg, rest.Options{})
//	...
//	pods := rest.For[corev1.Pod](client, "Pod").In("default")
//	_, err = stream.Await(pods.Get(ctx, "nginx"))
//	if apierrors.IsNotFound(clientgo.Error(err)) { // errors.Is(err, rest.ErrNotFound) needs no bridge
//		...
//	}
//
// # Guarantees
//
//   - Requests go through the round trippers that client-go builds for the configuration, and
//     therefore use the same connections as client-go's clientsets for that configuration.
//   - Nothing cuts off a long request, nothing limits the rate of requests, and
//     [rest.Client.CloseIdle] reaches the connections below all wrappers.
//   - Anything that client-go keeps for the life of the process it keeps here too: its cache of
//     transports and, if client certificates come from files or from a plugin, a goroutine that
//     looks for new ones.
//
// With it you can move a program over one piece at a time: hand New the configuration that you
// already have, use Tideway where you want channels, and keep the clientsets everywhere else. Code
// that checks errors with apierrors.IsNotFound keeps working once the error has passed through
// [Error].
//
// # Errors
//
// If client-go rejects a configuration, [New] returns its error. The errors of requests are those
// of packages [rest] and watch, until [Error] translates them.
package clientgo
