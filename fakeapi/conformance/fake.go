package conformance

import (
	"net/http"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// fake is a fakeapi, reached over memory connections with HTTP/2, as the real server is over its port.
type fake struct {
	server *fakeapi.Server
}

// Fake gives a fakeapi of its own to a test.
func Fake(t testing.TB) Server {
	t.Helper()
	return &fake{server: fakeapi.New(t, fakeapi.Options{
		Tokens: map[string]string{AdminToken: "admin", NobodyToken: "nobody"},
		Allow:  func(a fakeapi.Access) bool { return a.User == "admin" },
		HTTP2:  true,
	})}
}

func (f *fake) Name() string { return "fakeapi" }

func (f *fake) Config() kubeconfig.Config {
	config := f.server.Config()
	config.Token = AdminToken
	return config
}

func (f *fake) Options() rest.Options {
	return rest.Options{Dial: f.server.Dial, UnencryptedHTTP2: true}
}

func (f *fake) Client(t testing.TB) *rest.Client {
	t.Helper()
	return newClient(t, f)
}

func (f *fake) Transport() (transport *http.Transport, url string) {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{DialContext: f.server.Dial, Protocols: &protocols}, f.server.Config().Server
}

func (f *fake) Compact(testing.TB) { f.server.Expire() }

func (f *fake) Restart(testing.TB) { f.server.Expire() }
