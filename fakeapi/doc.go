// Package fakeapi is a Kubernetes API server in memory, for the tests of programs that use one.
//
// It is a real HTTP server, so that the whole client is under test, and it answers as
// kube-apiserver 1.37 does, down to the words of its refusals: the same tests run against both. It
// works inside testing/synctest, where a test of half an hour of reconnects takes milliseconds, and
// what goes wrong in production can be made to go wrong in a test.
//
//	synctest.Test(t, func(t *testing.T) {
//		server := fakeapi.New(t, fakeapi.Options{Objects: []any{nginx}})
//		server.Inject(
//			fakeapi.Refuse(503).RetryAfter(2*time.Second).On("watch", "pods"),
//			fakeapi.Cut().AfterEvents(1).On("watch", "pods"),
//		)
//		go program(t.Context(), server.Client())
//		server.Merge("Pod", "default", "nginx", `{"status":{"phase":"Running"}}`)
//		...
//	})
//
// In practice: start a server in the test, hand its client to your program, and play the cluster
// yourself. Create, change and delete objects with the methods of [Server], break requests with
// [Server.Inject], and ask [Server.Journal] afterwards what your program has sent. There is nothing
// to stub and nothing to clean up. The server is strict about what a program can get wrong with the
// API: names, versions, conflicts, finalizers, rights. It does not run anything: if a pod has to
// become ready, the test says so.
//
// # Guarantees
//
//   - One resource version counts for all resources. It grows with each change, deletions included.
//     A write that changes nothing keeps it.
//   - A watch from a version gets each later change once and in order, or 410. Starting to watch
//     and changing an object exclude each other: nothing is lost between a list and a watch.
//   - What is not implemented is refused with 501, which says so: server-side apply, for example.
//     The one exception is the spec of most kinds, which is stored without validation, see below: a
//     cluster may refuse what this server stores.
//   - What a test hands in itself ([Options].Objects, [Server.Create]) is stored as it is, metadata
//     included, or refused with the reason.
//   - After [Server.Close] no goroutine, connection or timer of the server is left.
//   - Random numbers come from Options.Seed, times from time.Now.
//
// # Limits
//
// Schemas are only known for metadata, namespaces, ConfigMaps and Secrets. In the spec of other
// kinds, unknown members are kept, values of a wrong type are stored, and only the defaults that
// the server's own behaviour depends on are filled in; a request that asks for
// fieldValidation=Strict is answered with 501. Events are one object in both of their groups,
// autoscalers in both of their versions. Definitions of custom resources are stored but have no
// effect: use [Options].Kinds. Requests and answers are JSON: YAML and protobuf are answered
// with 501. A Table is not acceptable (406), metadata alone is. There are no managed fields. There
// are no controllers except the garbage collector, if [Options].Collect asks for it: a namespace
// that is deleted stays Terminating until its finalizers are removed through its subresource
// finalize, and other finalizers stay until somebody removes them. Claims and volumes that a client
// creates have one from the beginning, as on every cluster. [Server.Remove] takes anything away.
//
// Discovery lists all that a real server lists. Some of it is not implemented: component statuses,
// bindings, and the subresources of pods, nodes and services that need a process. Nor are the old
// paths of watches, such as /api/v1/watch/pods.
//
// # Users and rights
//
// By default everybody may do everything. [Options] change that: Tokens say who somebody is, Users
// say in which groups, and with RBAC the roles and bindings that are stored at the moment of the
// request decide. Roles and bindings are validated, and privilege escalation is refused, except
// with the verbs escalate and bind. Requests with impersonation headers, of the old form and the
// constrained ones, are made as somebody else, if the user has the right to do so. The reviews of
// authentication.k8s.io and authorization.k8s.io answer who somebody is and what they may do.
//
// Of the roles that every cluster has, the server only has cluster-admin, system:discovery,
// system:basic-user and system:public-info-viewer, with their bindings. It lacks view, edit and
// admin: their rules come and go with the versions of Kubernetes, and a test that needs them stores
// them. A role with an aggregationRule has the rules that it was stored with. If it has none,
// because a controller would fill them in, requests that depend on it are answered with 501.
//
// # Errors
//
// The methods that touch objects return errors that wrap [rest.StatusError], so that errors.Is
// finds [rest.ErrNotFound] and its siblings. Over HTTP the server says what kube-apiserver says.
package fakeapi

//go:generate go -C conformance run ./cmd/tables ../..
