package clientgo_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clientgorest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/clientgo"
	"github.com/tideway-go/tideway/stream"
)

// token is the token in the kubeconfig that fakeapi writes if no others are known.
const token = "0123456789"

func TestVerbs(t *testing.T) {
	_, cfg := listen(t, fakeapi.Options{Objects: []any{configMap("a"), configMap("b")}, Tokens: map[string]string{token: "jane"}})
	client := connect(t, cfg)
	maps := rest.For[rest.Object](client, "ConfigMap").In("default")
	got, err := stream.Await(maps.Get(t.Context(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Name() != "a" {
		t.Errorf("got %s", got.Name())
	}
	list, err := stream.Await(maps.List(t.Context(), rest.ListOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 2 {
		t.Errorf("the list has %d items", len(list.Items))
	}
	_, err = stream.Await(maps.Get(t.Context(), "none"))
	if !errors.Is(err, rest.ErrNotFound) || !apierrors.IsNotFound(clientgo.Error(err)) {
		t.Errorf("got %v", err)
	}
	if got := client.String(); !strings.Contains(got, "credentials: transport") || strings.Contains(got, token) {
		t.Errorf("the client is %s", got)
	}
}

// The protocol is HTTP/2, wrappers and impersonation are client-go's, and idle connections below
// them are closed.
func TestTransport(t *testing.T) {
	server, cfg := listen(t, fakeapi.Options{Objects: []any{configMap("a")}})
	var protocol, dials, sent atomic.Int32
	var header http.Header
	cfg.Impersonate = clientgorest.ImpersonationConfig{UserName: "jane", Groups: []string{"dev", "ops"}}
	cfg.Username, cfg.Password, cfg.BearerToken, cfg.UserAgent = "", "", "another", "robot/1"
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	cfg.Timeout = 1 // nanosecond
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			header = r.Header.Clone()
			sent.Add(1)
			resp, err := next.RoundTrip(r)
			if err == nil {
				protocol.Store(int32(resp.ProtoMajor))
			}
			return resp, err
		})
	})
	client := connect(t, cfg)
	maps := rest.For[rest.Object](client, "ConfigMap").In("default")
	for range 2 {
		if _, err := stream.Await(maps.Get(t.Context(), "a")); err != nil {
			t.Fatal(err)
		}
	}
	if protocol.Load() != 2 || dials.Load() != 1 || sent.Load() != 2 {
		t.Errorf("HTTP/%d, %d connections, %d requests", protocol.Load(), dials.Load(), sent.Load())
	}
	want := map[string][]string{
		"Impersonate-User": {"jane"}, "Impersonate-Group": {"dev", "ops"},
		"Authorization": {"Bearer another"}, "User-Agent": {"robot/1"}, "Accept": {"application/json"},
		"Accept-Encoding": {"identity"}, // that transport is not ours: it may hold compressed events back
	}
	if d := cmp.Diff(want, map[string][]string(header)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	client.CloseIdle()
	if _, err := stream.Await(maps.Get(t.Context(), "a")); err != nil {
		t.Fatal(err)
	}
	if dials.Load() != 2 {
		t.Errorf("%d connections: the idle one was not closed", dials.Load())
	}
	if n := len(server.Journal()); n != 3 {
		t.Errorf("the server got %d requests", n)
	}
}

// A plugin provides the token: the test binary itself.
func TestExecPlugin(t *testing.T) {
	_, cfg := listen(t, fakeapi.Options{Objects: []any{configMap("a")}, Tokens: map[string]string{token: "jane"}})
	cfg.BearerToken = ""
	if _, err := stream.Await(rest.For[rest.Object](connect(t, cfg), "ConfigMap").In("default").Get(t.Context(), "a")); !errors.Is(err, rest.ErrForbidden) {
		t.Fatalf("without a plugin: %v", err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg.ExecProvider = &api.ExecConfig{
		Command: program, Args: []string{"-test.run=^TestPlugin$"}, APIVersion: "client.authentication.k8s.io/v1",
		Env: []api.ExecEnvVar{{Name: "CLIENTGO_TEST_PLUGIN", Value: token}}, InteractiveMode: api.NeverExecInteractiveMode,
	}
	if _, err := stream.Await(rest.For[rest.Object](connect(t, cfg), "ConfigMap").In("default").Get(t.Context(), "a")); err != nil {
		t.Error(err)
	}
}

// TestPlugin is the plugin of TestExecPlugin.
func TestPlugin(*testing.T) {
	given := os.Getenv("CLIENTGO_TEST_PLUGIN")
	if given == "" {
		return
	}
	_, _ = os.Stdout.WriteString(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + given + `"}}`)
	os.Exit(0)
}

func TestNewErrors(t *testing.T) {
	for name, c := range map[string]struct {
		cfg     *clientgorest.Config
		options rest.Options
		want    string
	}{
		"nil":         {nil, rest.Options{}, "clientgo: the configuration is nil"},
		"transport":   {&clientgorest.Config{}, rest.Options{Transport: http.DefaultTransport}, "clientgo: the transport comes from the configuration"},
		"dial":        {&clientgorest.Config{}, rest.Options{Dial: new(net.Dialer).DialContext}, "clientgo: rest: new client: option Transport decides"},
		"address":     {&clientgorest.Config{Host: "h/path"}, rest.Options{}, "clientgo: host must be a URL"},
		"client-go":   {&clientgorest.Config{Host: "h", TLSClientConfig: clientgorest.TLSClientConfig{CAFile: "/nowhere"}}, rest.Options{}, "clientgo: "},
		"credentials": {&clientgorest.Config{Host: "10.0.0.1", BearerToken: "secret"}, rest.Options{}, "over plain http"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientgo.New(c.cfg, c.options)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for address, want := range map[string]string{
		"": "http://localhost", "10.0.0.1:80": "http://10.0.0.1:80", "https://h:1/prefix/": "https://h:1/prefix",
	} {
		client, err := clientgo.New(&clientgorest.Config{Host: address, APIPath: "/apis"}, rest.Options{})
		if err != nil {
			t.Errorf("%s: %v", address, err)
		} else if got := client.Server(); got != want {
			t.Errorf("%s becomes %s, want %s", address, got, want)
		}
	}
}
