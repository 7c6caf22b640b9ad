package conformance

import (
	"net/http"
	"slices"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// fake is a fakeapi. Like the real server it speaks HTTP/2, but over connections in memory.
type fake struct {
	server *fakeapi.Server
}

// kinds are the custom resources that every fakeapi here serves. The real server needs definitions
// of them.
var kinds = []rest.Served{
	{Kind: rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}, Subresources: []string{"status"}},
	{Kind: rest.Kind{Group: "example.com", Version: "v1", Kind: "Gadget", Plural: "gadgets"}},
	{Kind: rest.Kind{Group: "example.net", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}},
}

// Fake returns a new fakeapi for one test. It serves more kinds if they are given: those that are
// off by default.
func Fake(t testing.TB, more ...rest.Served) Server {
	t.Helper()
	o := fakeapi.Options{Tokens: map[string]string{}, RBAC: true, Kinds: slices.Concat(kinds, more)}
	for _, u := range []realapi.User{realapi.Admin, realapi.Nobody, realapi.Alice} { // the users of the real server
		o.Tokens[u.Token] = u.Name
		o.Users = append(o.Users, fakeapi.User{Name: u.Name, UID: u.UID, Groups: u.Groups})
	}
	return &fake{server: fakeapi.New(t, o)}
}

// Name implements Server.
func (f *fake) Name() string { return FakeName }

// Config implements Server.
func (f *fake) Config() kubeconfig.Config {
	config := f.server.Config()
	config.Token = AdminToken
	return config
}

// Options implements Server.
func (f *fake) Options() rest.Options {
	return rest.Options{Dial: f.server.Dial, UnencryptedHTTP2: true}
}

// Client implements Server.
func (f *fake) Client(t testing.TB) *rest.Client {
	t.Helper()
	return newClient(t, f)
}

// Transport implements Server.
func (f *fake) Transport() (transport *http.Transport, url string) {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{DialContext: f.server.Dial, Protocols: &protocols}, f.server.Config().Server
}

// Compact implements Server: for fakeapi it is the same as Restart.
func (f *fake) Compact(t testing.TB) { f.Restart(t) }

// Restart implements Server.
func (f *fake) Restart(testing.TB) {
	f.server.Expire()
	f.server.Disconnect()
}
