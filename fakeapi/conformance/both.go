package conformance

import (
	"os"
	"testing"
)

// realEnv switches the real server off where it is set to "off".
const realEnv = "TIDEWAY_REALAPI"

// Off tells whether TIDEWAY_REALAPI=off keeps the real server out of this run.
func Off() bool { return os.Getenv(realEnv) == "off" }

// Both runs a test as a subtest against fakeapi, then against the real server.
//
// Each run of fakeapi is a new, empty server; the real one is shared, so tests use names of their
// own. With TIDEWAY_REALAPI=off in the environment the second subtest is skipped.
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
