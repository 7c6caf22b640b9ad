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

// The tokens that both servers know.
const (
	AdminToken  = "admin-token"  // may do everything
	NobodyToken = "nobody-token" // may do nothing
	AliceToken  = "alice-token"  // may do nothing either, until a test binds a role to her
)

// Server is one of the two servers, with what tests do to it beside requests.
type Server interface {
	// Name is FakeName or RealName.
	Name() string
	// Config reaches the server as admin; with fakeapi it needs the Dial of Options.
	Config() kubeconfig.Config
	// Options are what a client of this server needs beside Config.
	Options() rest.Options
	// Client makes a client that is closed with the test.
	Client(t testing.TB) *rest.Client
	// Transport makes a plain transport and tells the URL of the server, for requests that are not
	// the library's.
	Transport() (transport *http.Transport, url string)
	// Compact removes all history: lists at an older version, and their next pages, are answered
	// with 410. All connections are cut.
	Compact(t testing.TB)
	// Restart forgets what watches of older versions need: they are answered with 410. All
	// connections are cut.
	Restart(t testing.TB)
}

// newClient is what both servers do for Client.
func newClient(t testing.TB, s Server) *rest.Client {
	t.Helper()
	client, err := rest.New(s.Config(), s.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}
