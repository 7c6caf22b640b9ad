package conformance

import (
	"net/http"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// The names of the two servers.
const (
	FakeName = "fakeapi"
	RealName = "kube-apiserver"
)

// The tokens that both servers accept.
const (
	AdminToken  = "admin-token"  // may do everything
	NobodyToken = "nobody-token" // may do nothing
	AliceToken  = "alice-token"  // may do nothing either, until a test binds a role to her
)

// Server is one of the two servers, and what tests can do to it besides sending requests.
type Server interface {
	// Name is FakeName or RealName.
	Name() string
	// Config is the configuration of the admin; for fakeapi it needs the Dial of Options as well.
	Config() kubeconfig.Config
	// Options are what a client of this server needs besides Config.
	Options() rest.Options
	// Client returns a client that is closed with the test.
	Client(t testing.TB) *rest.Client
	// Transport returns a plain transport and the URL of the server, for requests that do not go
	// through the library.
	Transport() (transport *http.Transport, url string)
	// Compact removes all history: lists at an older version, and their next pages, are answered
	// with 410. All connections are cut.
	Compact(t testing.TB)
	// Restart forgets what watches from older versions need: they are answered with 410. All
	// connections are cut.
	Restart(t testing.TB)
}

// newClient implements Client for both servers.
func newClient(t testing.TB, s Server) *rest.Client {
	t.Helper()
	client, err := rest.New(s.Config(), s.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}
