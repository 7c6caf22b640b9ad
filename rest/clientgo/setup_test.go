package clientgo_test

import (
	"net/http"
	"testing"

	clientgorest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/clientgo"
)

// configMap returns an object for the tests.
func configMap(name string) rest.Object {
	return rest.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": "default"},
		"data":     map[string]any{"k": "v"},
	}
}

// listen starts a server on a port and loads its kubeconfig the way client-go programs do.
func listen(t *testing.T, o fakeapi.Options) (*fakeapi.Server, *clientgorest.Config) {
	t.Helper()
	server := fakeapi.New(t, o)
	path, err := server.Listen(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	return server, cfg
}

// connect makes a client that leaves no connections behind.
func connect(t *testing.T, cfg *clientgorest.Config) *rest.Client {
	t.Helper()
	client, err := clientgo.New(cfg, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return client
}

// tripper is a wrapper that hides what it wraps.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
