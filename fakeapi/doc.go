// Package fakeapi is a Kubernetes API server in memory, for the tests of
// programs that use one.
//
// It is a real HTTP server, so that the whole client is under test, and it
// answers as kube-apiserver 1.37 does, down to the words of its refusals: the
// same tests are run against both. It works inside testing/synctest, where a
// test of half an hour of reconnects takes milliseconds, and what goes wrong in
// production can be made to go wrong in a test.
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
// # Guarantees
//
//   - One resource version is counted for all resources. It grows with each
//     change, deletions too; a write that changes nothing keeps it.
//   - A watch from a version gets each change after it once, in order, or 410.
//     Starting to watch and changing an object exclude each other: nothing is
//     lost between a list and a watch.
//   - What is not implemented is refused with 501 and says so: server-side
//     apply, for example. Most specs are stored without validation, see below.
//   - After [Server.Close] no goroutine, connection or timer of the server is
//     left.
//   - Random numbers come from Options.Seed, times from time.Now.
//
// What a schema would say is known here of metadata, ConfigMaps and Secrets only:
// below the spec of other kinds, members that a type does not have are kept,
// values of a wrong type are stored, and only the defaults that the server's own
// behaviour depends on are filled in. Versions of one built-in kind
// (autoscaling/v1 and v2) are stored apart, definitions of custom resources are
// stored but not obeyed: [Options].Kinds does that. Bodies are JSON, not YAML and
// not protobuf; a Table is not acceptable (406), metadata alone is. There are no
// managed fields. There are no controllers but the garbage collector, where
// [Options].Collect asks for it: a namespace that is deleted stays Terminating,
// and finalizers stay until somebody removes them. [Server.Remove] takes anything
// away.
//
// # Users and rights
//
// Everybody may do everything, unless [Options] say otherwise: Tokens say who
// somebody is, Users in which groups, and RBAC lets the roles and bindings that
// are stored decide, as they are at the moment of the request. They are
// validated, and nobody gives others a right that he does not have, without the
// verbs escalate and bind. Requests with headers of impersonation are made as
// somebody else, in the old way and in the constrained ones, by whoever has the
// right to. The reviews of authentication.k8s.io and authorization.k8s.io tell
// who somebody is and what he may do.
//
// Of the roles that every cluster has, only cluster-admin, system:discovery,
// system:basic-user and system:public-info-viewer are there, with their bindings.
// view, edit and admin are not: their rules come and go with the versions of
// Kubernetes, and a test that needs them stores them. A role with an
// aggregationRule has the rules that it was stored with. One that has none, since
// a controller would fill them in, is not judged by: what depends on it is
// answered with 501.
//
// # Errors
//
// The methods that touch objects return errors that wrap [rest.StatusError], so
// that errors.Is finds [rest.ErrNotFound] and its siblings. What the server says
// over HTTP is what kube-apiserver says.
package fakeapi
