package conformance

import (
	"os"
	"testing"
)

// realEnv is the variable that switches the real server off if it is "off".
const realEnv = "TIDEWAY_REALAPI"

// Off reports whether TIDEWAY_REALAPI=off keeps the real server out of this run.
func Off() bool { return os.Getenv(realEnv) == "off" }

// Both runs f as a subtest against fakeapi, then as one against the real server.
//
// Each subtest on fakeapi gets a new, empty server. The real server is shared, so tests must use
// names of their own. With TIDEWAY_REALAPI=off in the environment the second subtest is skipped.
func Both(t *testing.T, f func(t *testing.T, s Server)) {
	t.Helper()
	t.Run(FakeName, func(t *testing.T) {
		f(t, Fake(t))
	})
	t.Run(RealName, func(t *testing.T) {
		if Off() {
			t.Skip(realEnv + "=off")
		}
		f(t, Real(t))
	})
}
