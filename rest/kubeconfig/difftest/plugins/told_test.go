package plugins

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// informed returns a row with a plugin that receives information about the cluster, whose entry has
// these members.
func informed(members map[string]any) row {
	return row{exec: map[string]any{"provideClusterInfo": true}, cluster: members}
}

// extended returns a row in which the cluster's entry holds data for plugins, written as YAML.
func extended(text string) row {
	return informed(map[string]any{"extensions": []any{
		map[string]any{"name": "other", "extension": map[string]any{"x": 1}},
		map[string]any{"name": "client.authentication.k8s.io/exec", "extension": yaml + text + yaml},
	}})
}

// took says that the standard input is in use.
func (r row) took() row {
	r.taken = true
	return r
}

// mode returns a row with this interactiveMode.
func mode(m any) row { return row{exec: map[string]any{"interactiveMode": m}} }

// told returns rows about what the program receives. The standard input is not a terminal here.
func told() map[string]row {
	r := row{}
	other := named("other").cert
	beta := prints(versioned(v1beta1, `{"token":"t"}`))
	noCA := func(more map[string]any) map[string]any {
		return with(more, map[string]any{"certificate-authority-data": nil})
	}
	return map[string]row{
		"nothing":                       r,
		"nothing, in v1beta1":           beta.beta(),
		"nothing, said so":              r.with("provideClusterInfo", false),
		"nothing, with an extension":    {cluster: extended("{a: b}").cluster},
		"the cluster":                   informed(nil),
		"the cluster, in v1beta1":       beta.with("provideClusterInfo", true).beta(),
		"the name of the server":        informed(map[string]any{"tls-server-name": "example.com"}),
		"insecure":                      informed(noCA(map[string]any{"insecure-skip-tls-verify": true})),
		"insecure, with a name":         informed(noCA(map[string]any{"insecure-skip-tls-verify": true, "tls-server-name": "other.example"})),
		"another authority":             informed(map[string]any{"certificate-authority-data": []byte(other)}).expect("error, 1 run"),
		"the file of an authority":      fromFile(informed(noCA(map[string]any{"certificate-authority": "ca.pem"}))),
		"compression":                   informed(map[string]any{"disable-compression": true}),
		"a prefix":                      informed(map[string]any{"server": yaml + "'SERVER/k8s/clusters/x'" + yaml}),
		"a slash at the end":            informed(map[string]any{"server": yaml + "'SERVER/'" + yaml}).differ("", "a server with a slash at the end, or a query", "Runs"),
		"a prefix and a slash":          informed(map[string]any{"server": yaml + "'SERVER/x/'" + yaml}).differ("", "a server with a slash at the end, or a query", "Runs"),
		"a query":                       informed(map[string]any{"server": yaml + "'SERVER?a=b'" + yaml}).differ("", "a server with a slash at the end, or a query", "Runs"),
		"a query after a prefix":        informed(map[string]any{"server": yaml + "'SERVER/x?a=b#c'" + yaml}),
		"an extension":                  extended("{a: [1, 2.5, 1.0, -3, true, null, 'x'], b: {c: {}}, 'd e': [], f: 9007199254740993, g: '', h: \"<&>\\u2028\"}"),
		"an extension of yes and off":   extended("{a: yes, b: off}").differ("", "`yes`, `no`, `on`, `off` in what a cluster's entry holds for plugins", "Runs"),
		"an extension of times":         extended("{a: 2020-01-01, b: 2020-01-01T00:00:00Z}"),
		"an extension with other names": extended("{1: a, true: b, 2020-01-01: c}"),
		"an extension with a merge":     extended("{<<: {a: 1}, b: 2}"),
		"an extension twice": informed(map[string]any{"extensions": []any{
			map[string]any{"name": "client.authentication.k8s.io/exec", "extension": 1}, map[string]any{"name": "client.authentication.k8s.io/exec", "extension": 2},
		}}).expect("not loaded, 0 runs"),
		"an extension with a version":   extended("{apiVersion: example.org/v1, kind: Audience, audience: a}"),
		"an extension of kind Config":   extended("{apiVersion: v1, kind: Config, current-context: a}"),
		"an extension that is a text":   extended("audience"),
		"an extension that is a number": extended("1"),
		"an extension that is a list":   extended("[a, b]"),
		"an extension of nothing":       extended("{}"),
		"an extension of null":          extended("null"),
		"an extension of another name":  informed(map[string]any{"extensions": []any{map[string]any{"name": "exec", "extension": map[string]any{"a": 1}}}}),
		"an extension in v1beta1":       row{acts: beta.acts, cluster: extended("{a: b}").cluster}.with("provideClusterInfo", true).beta(),

		"never asks":                  r,
		"asks if it can":              mode("IfAvailable"),
		"asks if it can, input taken": mode("IfAvailable").took(),
		"always asks":                 mode("Always").expect("error, 0 runs"),
		"always asks, input taken":    mode("Always").expect("error, 0 runs").took(),
		"does not say":                mode(nil).expect("not loaded, 0 runs"),
		"does not say, in v1beta1":    beta.with("interactiveMode", nil).beta(),
		"says nothing, in v1beta1":    beta.with("interactiveMode", "").beta(),
		"always asks, in v1beta1":     beta.with("interactiveMode", "Always").beta().expect("error, 0 runs"),
		"a mode that is none":         mode("Sometimes").expect("not loaded, 0 runs"),
		"a mode in another case":      mode("never").expect("not loaded, 0 runs"),
		"v1alpha1":                    r.with("apiVersion", "client.authentication.k8s.io/v1alpha1").expect("not loaded, 0 runs"),
		"v2":                          r.with("apiVersion", "client.authentication.k8s.io/v2").expect("not loaded, 0 runs"),
		"no version":                  r.with("apiVersion", nil).expect("not loaded, 0 runs"),
	}
}

// fromFile writes the server's certificate into the folder of the kubeconfig.
func fromFile(r row) row {
	r.setup = func(t *testing.T, dir string) {
		t.Helper()
		s := httptest.NewTLSServer(nil) // all servers have the same certificate
		defer s.Close()
		if err := os.WriteFile(filepath.Join(dir, "ca.pem"), encode(s.Certificate()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestTold(t *testing.T) { checkAll(t, told()) }

// The program learns about the proxy, and requests go through it.
func TestToldTheProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(tunnel))
	defer proxy.Close()
	host := proxy.Listener.Addr().String()
	for name, url := range map[string]string{"address": "http://" + host, "slash": "http://" + host + "/", "user": "http://a:b%20c@" + host} {
		t.Run(name, func(t *testing.T) {
			r := informed(map[string]any{"proxy-url": url})
			r.check(t)
		})
	}
}

// tunnel is a proxy.
func tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", r.Host)
	if err != nil || r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer there.Close()
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
}
