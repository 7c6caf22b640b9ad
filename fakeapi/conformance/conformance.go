// Package conformance runs the same tests against fakeapi and a real kube-apiserver.
//
// A test package starts both in its TestMain and asks for both in its tests:
//
//	func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }
//
//	func TestWatch(t *testing.T) {
//		conformance.Both(t, func(t *testing.T, s conformance.Server) {
//			client := s.Client(t)
//			...
//		})
//	}
//
// The real server is started once per package; see package realapi. You write the test once,
// against the interface [Server]. If it passes on one server and fails on the other, fakeapi is
// wrong, or the test relies on something that real clusters do not promise.
package conformance
