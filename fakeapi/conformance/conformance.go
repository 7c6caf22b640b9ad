// Package conformance runs the same tests against fakeapi and a real kube-apiserver.
//
// A package of tests starts both in its TestMain and asks for both in its tests:
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
// The real server is started once a package, see package realapi.
package conformance
