// Package rest is a client of the Kubernetes API that answers on channels.
//
//	cfg, err := kubeconfig.Load(kubeconfig.Options{})
//	...
//	client, err := rest.New(cfg, rest.Options{})
//	...
//	pods := rest.For[corev1.Pod](client, "Pod").In("default")
//	pod, err := stream.Await(pods.Get(ctx, "nginx"))
//	if errors.Is(err, rest.ErrNotFound) {
//		...
//	}
//	for pod, err := range stream.Range(ctx, pods.Each, rest.ListOptions{LabelSelector: "app=web"}) {
//		...
//	}
//
// # Overview
//
// [New] makes a [Client], which talks to one server. [For] returns a [Resource]: one kind of object
// there, in one namespace or in all. Its methods are the verbs, from [Resource.Get] to
// [Resource.DeleteAll]. [Resource.Modify] and [Resource.Apply] suit most changes; [Sub] reaches
// subresources, and [Client.Do] any other path.
//
// Objects are values of a type of your choice: a type from k8s.io/api, a struct of your own with
// json tags for the fields that you read, [Object], or a map. Nothing is registered or generated.
//
// [Options] change how a client connects, and [CallOptions] how a handle sends its requests. Custom
// resources are found by [Options].Kinds, [Options].Discovery or [ForKind].
//
// # Building streams
//
// Programs rarely need these; package watch is built on them. [Resource.Endpoint] is a resource
// without its Go type, and [Endpoint.Resolve] finds its kind. [Endpoint.List] hands over each
// [Item] of a list, and [Endpoint.Watch] returns the [Frames] of one watch request.
//
// # Guarantees
//
// Every verb returns at once. Its channel delivers exactly one result, even if the context ends,
// and is then closed; that of [Resource.Each] delivers one for each object. Nobody has to read it.
// A verb encodes what it sends before it returns, and closes the body of an answer before it sends
// the result.
//
// No retries are hidden: docs/errors.md lists everything that is sent again, and why that is safe.
// net/http repeats a request that the server has not begun to handle, and a read, or a raw request
// with an Idempotency-Key, whose kept connection broke. A 401, an untrusted certificate, or the 404
// of a kind that has moved leads to one more try, if credentials, authority or discovery have
// changed. [Resource.List] starts over once if its version expires, [Resource.Modify] up to five
// times after conflicts. [CallOptions].Retry asks for more, but never repeats a create that may
// have arrived.
//
// An update whose type would lose fields is refused. [CallOptions] bound the size of answers and
// refusals; JSON may nest 10000 levels deep. Redirects are not followed.
//
// Encoding is that of encoding/json, with apiVersion and kind filled in. Decoding is
// case-sensitive, and integers in an any are exact. Decoded objects have kind and apiVersion, even
// in lists, if their type has fields for them.
//
// Credentials go to the client's own server only, and over plain http only to this machine unless
// [Options] say otherwise. Token files are read again as they rotate; one that blocks delays a
// request for a moment, and its old content serves. No error and no String shows a secret.
//
// Connections, credentials and files have limits and errors of their own; docs/errors.md lists
// them.
//
// Goroutines, timers and channels exist only for requests and connections. Once the contexts have
// ended and [Client.CloseIdle] was called, nothing is left.
//
// In daily use: make one client and a handle for each kind, and share them among goroutines. Call
// [stream.Await] when you want to wait for an answer, or put the channel into a select next to your
// timers and signals. If you lose interest, cancel the context and forget the channel; there is
// nothing to close.
//
// # Errors
//
// A refusal by the server is a [StatusError]; errors.Is finds the reason: [ErrNotFound],
// [ErrConflict], [ErrExpired] and their siblings. A wrong argument is never sent: a name that would
// reach another path, an object of another kind or namespace, a malformed selector or option. Its
// error matches [ErrInvalidArgument]; a nil context panics. An answer that was not asked for
// matches [ErrAnswer], and a write that may have been carried out [ErrOutcomeUnknown]. If the
// context ended, the error wraps [context.Cause]. Any other error wraps its cause and names the
// operation.
package rest
