// Package clientgo makes a Tideway client of a client-go configuration, and makes refusals answer
// to the questions of apimachinery.
//
// It is a module of its own, for programs that have client-go anyway: what only client-go knows how
// to do (exec plugins, auth providers, wrappers, dialers) is done by client-go.
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
// Requests go through the round trippers that client-go builds for the configuration, and so over
// the connections that its clientsets of the same configuration use. Nothing cuts a request that
// lasts, nothing limits the rate of requests, and [rest.Client.CloseIdle] reaches the connections
// below all wrappers.
//
// What client-go keeps for the life of the process it keeps here too: a goroutine that looks for
// new client certificates where they come from files or from a plugin, and its cache of transports.
//
// # Errors
//
// What client-go says against a configuration is an error of [New]. The errors of requests are
// those of [rest] and watch, until [Error] translates them.
package clientgo
