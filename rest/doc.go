// Package rest asks a Kubernetes API server, and answers on channels.
//
// A [Client] talks to one server. A [Resource] is one kind of object there, as
// values of a type of your choice: a type from k8s.io/api, a struct of your own
// with json tags for the fields that you read, [Object], or a map. Nothing is
// registered or generated.
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
//	for pod, err := range stream.Range(ctx, func(ctx context.Context) <-chan stream.Result[*corev1.Pod] {
//		return pods.Each(ctx, rest.ListOptions{LabelSelector: "app=web"})
//	}) {
//		...
//	}
//
// # Guarantees
//
// Every verb returns at once. Its channel delivers exactly one result, also
// when the context ends, and is closed; that of [Resource.Each] delivers one an
// item. Nobody has to read it. What a verb sends is encoded before it returns,
// and the body of an answer is closed before its result is sent.
//
// Arguments are checked before any request: a name that would reach another
// path, an object of another kind or namespace, a selector that cannot be
// parsed. No redirect is followed.
//
// All that is sent again stands in docs/errors.md, with the reason why that is
// safe. net/http repeats a request that a broken connection or a refused stream
// did not deliver, and a read. After a 401, a certificate that is not trusted or
// the 404 of a kind that has moved, a request is sent once more if credentials,
// authority or discovery have changed. A List whose version expires between two
// pages starts over once, and [Resource.Modify] begins again after a conflict.
// [CallOptions].Retry asks for more; it never repeats a create that may have
// arrived.
//
// An update by a type that would lose what it does not know is refused. Answers
// and items of lists are bounded by [CallOptions].MaxObject, refusals by
// MaxErrorBody, nesting by 10000 levels.
//
// What is encoded is what encoding/json writes, with apiVersion and kind filled
// in. What is decoded is case-sensitive; integers in an any are exact. Objects
// in answers have kind and apiVersion, also those of lists, wherever their type
// has a place for them.
//
// Credentials go to the client's own server only, and over plain http only to
// this machine unless [Options] say otherwise. A token file is read again as it
// rotates. No error and no String shows a secret.
//
// No goroutine, timer or channel exists but for requests and connections; after
// the contexts have ended and [Client.CloseIdle], nothing is left.
//
// # Errors
//
// A refusal of the server is a [StatusError], and errors.Is tells which:
// [ErrNotFound], [ErrConflict], [ErrExpired] and their siblings. An error of
// the connection is wrapped with the operation, and can be unwrapped. Of a
// context that ended it is the [context.Cause]. Errors of arguments begin with
// "rest: ".
package rest
