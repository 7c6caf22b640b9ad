package kubeconfig

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const secret = "hunter2"

// house is a home directory, an environment and a service account for one test.
type house struct {
	t   *testing.T
	dir string
	env map[string]string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	return &house{t: t, dir: t.TempDir(), env: map[string]string{}}
}

func (h *house) system() system {
	return system{
		getenv:         func(k string) string { return h.env[k] },
		home:           func() (string, error) { return h.dir, nil },
		serviceAccount: filepath.Join(h.dir, "sa"),
		patience:       10 * time.Second,
	}
}

// write writes a file in the house and returns its path.
func (h *house) write(name, content string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		h.t.Fatal(err)
	}
	return path
}

// pod makes the house look like the inside of a pod.
func (h *house) pod() {
	h.env["KUBERNETES_SERVICE_HOST"], h.env["KUBERNETES_SERVICE_PORT"] = "10.0.0.1", "443"
	h.write("sa/token", "t")
	h.write("sa/ca.crt", "ca")
	h.write("sa/namespace", "prod\n")
}

// config returns a kubeconfig with one context for each name.
func config(current string, names ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: v1\nkind: Config\ncurrent-context: %q\n", current)
	for _, part := range []struct{ list, entry string }{
		{"clusters", "cluster: {server: 'https://%[1]s:6443/'}"},
		{"users", "user: {token: %[1]s}"},
		{"contexts", "context: {cluster: %[1]s, user: %[1]s, namespace: ns-%[1]s}"},
	} {
		fmt.Fprintf(&b, "%s:\n", part.list)
		for _, n := range names {
			fmt.Fprintf(&b, "- name: %s\n  "+part.entry+"\n", n)
		}
	}
	return b.String()
}

func of(name string) Config {
	return Config{Server: "https://" + name + ":6443", Context: name, Namespace: "ns-" + name, Token: Secret(name)}
}

// The order of the sources, and the effect of a context in each.
func TestSources(t *testing.T) {
	inside := func(h *house) Config {
		return Config{
			Server: "https://10.0.0.1:443", Namespace: "prod",
			TLS: TLS{CAFile: filepath.Join(h.dir, "sa/ca.crt")}, TokenFile: filepath.Join(h.dir, "sa/token"),
		}
	}
	for name, test := range map[string]struct {
		setup func(*house) Options
		want  func(*house) Config
		err   string
	}{
		"path": {
			setup: func(h *house) Options {
				h.pod()
				h.write(".kube/config", config("home", "home"))
				h.env["KUBECONFIG"] = h.write("env", config("env", "env"))
				return Options{Path: h.write("own", config("own", "own"))}
			},
			want: func(*house) Config { return of("own") },
		},
		"KUBECONFIG": {
			setup: func(h *house) Options {
				h.pod()
				h.write(".kube/config", config("home", "home"))
				a, b := h.write("a/a", config("", "a")), h.write("b/b", config("b", "a", "b"))
				h.env["KUBECONFIG"] = strings.Join([]string{"", h.dir + "/missing", a, a, b, ""}, string(os.PathListSeparator))
				return Options{}
			},
			want: func(*house) Config { return of("b") },
		},
		"home": {
			setup: func(h *house) Options { h.pod(); h.write(".kube/config", config("home", "home")); return Options{} },
			want:  func(*house) Config { return of("home") },
		},
		"pod": {
			setup: func(h *house) Options { h.pod(); return Options{} },
			want:  inside,
		},
		"pod, KUBECONFIG missing": {
			setup: func(h *house) Options { h.pod(); h.env["KUBECONFIG"] = "/nowhere/config"; return Options{} },
			want:  inside,
		},
		"pod, KUBECONFIG empty": {
			setup: func(h *house) Options { h.pod(); h.env["KUBECONFIG"] = os.DevNull; return Options{} },
			want:  inside,
		},
		"pod, namespace": {
			setup: func(h *house) Options { h.pod(); return Options{Namespace: "x"} },
			want:  func(h *house) Config { c := inside(h); c.Namespace = "x"; return c },
		},
		"context in the default kubeconfig": {
			setup: func(h *house) Options {
				h.pod()
				h.write(".kube/config", config("a", "a", "b"))
				return Options{Context: "b"}
			},
			want: func(*house) Config { return of("b") },
		},
		"namespace": {
			setup: func(h *house) Options { h.write(".kube/config", config("a", "a")); return Options{Namespace: "x"} },
			want:  func(*house) Config { c := of("a"); c.Namespace = "x"; return c },
		},
		"context without a kubeconfig, inside": {
			setup: func(h *house) Options { h.pod(); return Options{Context: "b"} },
			want:  inside,
		},
		"context without a kubeconfig, outside": {
			setup: func(*house) Options { return Options{Context: "b"} },
			err:   `kubeconfig: context "b": no kubeconfig, and not inside a cluster (looked for HOME/.kube/config)`,
		},
		"nothing": {
			setup: func(*house) Options { return Options{} },
			err:   "kubeconfig: no kubeconfig, and not inside a cluster (looked for HOME/.kube/config)",
		},
		"nothing in KUBECONFIG": {
			setup: func(h *house) Options { h.env["KUBECONFIG"] = "/a:/b"; return Options{} },
			err:   "kubeconfig: no kubeconfig, and not inside a cluster (looked for /a, /b)",
		},
		"path is missing": {
			setup: func(h *house) Options { h.pod(); return Options{Path: "/nowhere/config"} },
			err:   "kubeconfig: open /nowhere/config: no such file or directory",
		},
		"path is empty": {
			setup: func(h *house) Options { h.pod(); return Options{Path: h.write("own", "")} },
			err:   "kubeconfig HOME/own: there are no contexts",
		},
		"context is missing": {
			setup: func(h *house) Options {
				h.pod()
				h.write(".kube/config", config("a", "b", "a"))
				return Options{Context: "c"}
			},
			err: `kubeconfig HOME/.kube/config: the context "c" does not exist; known contexts: "a", "b"`,
		},
		"context in an empty kubeconfig": {
			setup: func(h *house) Options { h.pod(); h.write(".kube/config", ""); return Options{Context: "c"} },
			err:   `kubeconfig HOME/.kube/config: there are no contexts`,
		},
		"no certificate authority": {
			setup: func(h *house) Options { h.pod(); _ = os.Remove(filepath.Join(h.dir, "sa/ca.crt")); return Options{} },
			err:   "kubeconfig: service account: stat HOME/sa/ca.crt: no such file or directory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			got, err := load(test.setup(h), h.system())
			if text := strings.ReplaceAll(errText(err), h.dir, "HOME"); text != test.err {
				t.Fatalf("error is\n\t%s, want\n\t%s", text, test.err)
			}
			if test.want == nil {
				return
			}
			if d := cmp.Diff(test.want(h), got); d != "" {
				t.Error(d)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Contents that cannot be used are an error that names the file, the entry and the reason, and
// shows no secret.
func TestBadConfig(t *testing.T) {
	const user, cluster = "- name: u\n  user: ", "- name: c\n  cluster: "
	full := func(cluster, user, context string) string {
		return "current-context: x\nclusters:\n- name: c\n  cluster: " + cluster + "\nusers:\n- name: u\n  user: " + user + "\ncontexts:\n- name: x\n  context: " + context + "\n"
	}
	const good, both = "{server: 'https://c'}", "{cluster: c, user: u}"
	for name, test := range map[string]struct{ text, want string }{
		"contexts: null":    {"contexts: null\nclusters: null\nusers: null\ncurrent-context: x", "there are no contexts"},
		"no context":        {config("", "a"), `there is no current context; known contexts: "a"`},
		"other context":     {config("z", "a"), `the current context "z" does not exist; known contexts: "a"`},
		"entry is empty":    {"current-context: x\ncontexts:\n- name: x\n", `context "x": the entry is empty`},
		"no cluster":        {full(good, "{}", "{user: u}"), `context "x": it names no cluster`},
		"no user":           {full(good, "{}", "{cluster: c}"), `context "x": it names no user`},
		"other cluster":     {full(good, "{}", "{cluster: d, user: u}"), `context "x": the cluster "d" does not exist; known clusters: "c"`},
		"other user":        {full(good, "{}", "{cluster: c, user: v}"), `context "x": the user "v" does not exist; known users: "u"`},
		"no users":          {"current-context: x\nclusters: [{name: c, cluster: {server: 'https://c'}}]\ncontexts: [{name: x, context: " + both + "}]", `context "x": the user "u" does not exist; known users: none`},
		"no server":         {full("{}", "{}", both), `context "x": cluster "c": the server's address is empty`},
		"server":            {full("{server: 'c:6443'}", "{}", both), `context "x": cluster "c": the server's address "c:6443" is not of the form https://host:port`},
		"insecure":          {full("{server: 'https://c', insecure-skip-tls-verify: true, certificate-authority: x}", "{}", both), `context "x": cluster "c": insecure-skip-tls-verify cannot be combined with a certificate authority`},
		"data":              {full("{server: 'https://c', certificate-authority-data: '"+secret+"!'}", "{}", both), `context "x": cluster "c": certificate-authority-data is not base64`},
		"key data":          {full(good, "{client-key-data: '"+secret+"!'}", both), `context "x": user "u": client-key-data is not base64`},
		"proxy":             {full("{server: 'https://c', proxy-url: '"+secret+"'}", "{}", both), `context "x": cluster "c": proxy-url is not of the form http://host:port`},
		"proxy scheme":      {full("{server: 'https://c', proxy-url: 'ftp://a:"+secret+"@x'}", "{}", both), `context "x": cluster "c": the scheme "ftp" of proxy-url is not one of http, https, socks5`},
		"exec, no version":  {full(good, "{exec: {command: aws}}", both), `context "x": user "u": exec: apiVersion is missing`},
		"exec, version":     {full(good, "{exec: {command: aws, apiVersion: client.authentication.k8s.io/v1alpha1}}", both), `context "x": user "u": exec: apiVersion "client.authentication.k8s.io/v1alpha1" is neither client.authentication.k8s.io/v1 nor client.authentication.k8s.io/v1beta1`},
		"exec, no command":  {full(good, "{exec: {apiVersion: client.authentication.k8s.io/v1, args: ["+secret+"]}}", both), `context "x": user "u": exec: command is missing`},
		"exec, no mode":     {full(good, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: aws}}", both), `context "x": user "u": exec: interactiveMode is missing; v1 requires Never, IfAvailable or Always`},
		"exec, mode":        {full(good, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: never}}", both), `context "x": user "u": exec: interactiveMode "never" is not one of Never, IfAvailable, Always`},
		"exec, env":         {full(good, "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws, env: [{value: "+secret+"}]}}", both), `context "x": user "u": exec: a variable in env has no name, or a name or value that no environment can carry`},
		"exec, extension":   {full("{server: 'https://c', extensions: [{name: client.authentication.k8s.io/exec, extension: {a: .nan, b: "+secret+"}}]}", "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}}", both), `context "x": cluster "c": extension client.authentication.k8s.io/exec cannot be written as JSON`},
		"auth-provider":     {full(good, "{auth-provider: {name: gcp}}", both), `context "x": user "u": auth-provider is not supported, since Kubernetes has removed it: use exec or a token`},
		"as-groups":         {full(good, "{as-groups: [x]}", both), `context "x": user "u": as-uid, as-groups and as-user-extra require as`},
		"as, two lines":     {full(good, `{as: "a\nb"}`, both), `context "x": user "u": the user to impersonate has characters that no header can carry`},
		"as, empty key":     {full(good, `{as: a, as-user-extra: {"": [b]}}`, both), `context "x": user "u": as-user-extra has an empty key`},
		"kind":              {"kind: Pod\napiVersion: v1\n", `it has kind "Pod" and apiVersion "v1": want Config and v1`},
		"namespace":         {full(good, "{}", "{cluster: c, user: u, namespace: a.B}"), `context "x": the namespace "a.B" is not a DNS label`},
		"certificate alone": {full(good, "{client-certificate: x}", both), `context "x": user "u": there is a client certificate without a key`},
		"key alone":         {full(good, "{client-key: x}", both), `context "x": user "u": there is a client key without a certificate`},
		"token and name":    {full(good, "{token: "+secret+", username: x}", both), `context "x": user "u": both a token and a username are given`},
		"twice":             {"users:\n" + user + "{}\n" + user + "{}\nclusters:\n" + cluster + good, `users: "u" appears twice`},
		"no YAML":           {"a: b: " + secret, "mapping values are not allowed in this context"},
		"tab":               {"a:\n\tb: " + secret, "line 2: found character that cannot start any token"},
		"scalar":            {secret, "line 1: cannot unmarshal !!str `...` into kubeconfig.file"},
		"token is a list":   {full(good, "{token: ["+secret+"]}", both), "line 7: cannot unmarshal !!seq into string"},
		"bool":              {full("{server: 'https://c', insecure-skip-tls-verify: "+secret+"}", "{}", both), "line 4: cannot unmarshal !!str `...` into bool"},
		"alias":             {full(good, "{token: *"+secret+"}", both), "unknown anchor '...' referenced"},
		"tag":               {full(good, "{token: !!int "+secret+"}", both), "cannot decode !!str `...` as a !!int"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			path := h.write("file", test.text)
			_, err := load(Options{Path: path}, h.system())
			if got, want := errText(err), "kubeconfig "+path+": "+test.want; got != want {
				t.Errorf("error is\n\t%s, want\n\t%s", got, want)
			}
			if strings.Contains(errText(err), secret) {
				t.Error("the error shows the secret")
			}
			if strings.Contains(errText(err), "\n") {
				t.Error("the error has more than one line")
			}
		})
	}
}

// A kubeconfig that uses every field.
func TestWholeConfig(t *testing.T) {
	const text = "\xef\xbb\xbf" + `apiVersion: v1
kind: Config
preferences: {colors: true}
unknown: [1, {a: b}]
current-context: x
clusters:
- name: c
  cluster:
    server: https://c:6443/prefix/?a=b#c
    certificate-authority-data: |
      Q0
      E=
    certificate-authority: ignored
    tls-server-name: name
    proxy-url: socks5://me:hunter2@proxy:1080
    disable-compression: true
    extensions: [{name: x, extension: {}}, {name: client.authentication.k8s.io/exec, extension: {audience: a, n: 1}}]
    unknown: 1
users:
- name: u
  user:
    client-certificate-data: Q0VSVA==
    client-certificate: ignored
    client-key-data: S0VZ
    client-key: ignored
    token: hunter2
    tokenFile: /abs/token
    as: jane
    as-uid: "42"
    as-groups: [dev, ops]
    as-user-extra: {example.org/scopes: [a, b]}
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: aws
      args: [eks, get-token]
      env: [{name: AWS_PROFILE, value: hunter2}]
      installHint: get it
      provideClusterInfo: true
      unknown: 1
    unknown: {a: [b]}
contexts:
- name: x
  context: {cluster: c, user: u, extensions: []}
`
	got, err := Parse([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Server: "https://c:6443/prefix", Context: "x", Namespace: "default",
		TLS:       TLS{CAData: []byte("CA"), CertData: []byte("CERT"), KeyData: "KEY", ServerName: "name"},
		Token:     secret,
		TokenFile: "/abs/token",
		Exec: &Exec{
			APIVersion: ExecV1beta1, Command: "aws", Args: []string{"eks", "get-token"}, Env: []EnvVar{{"AWS_PROFILE", secret}},
			InstallHint: "get it", ProvideClusterInfo: true, Interactive: InteractiveIfAvailable, ClusterConfig: []byte(`{"audience":"a","n":1}`),
		},
		Impersonate: Impersonate{
			User: "jane", UID: "42", Groups: []string{"dev", "ops"}, Extra: map[string][]string{"example.org/scopes": {"a", "b"}},
		},
		ProxyURL:           "socks5://me:hunter2@proxy:1080",
		DisableCompression: true,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	basic, err := Parse([]byte(`{"current-context":"x","clusters":[{"name":"c","cluster":{"server":"https://c","insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{"username":"me","password":"hunter2"}}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want = Config{Server: "https://c", Context: "x", Namespace: "default", TLS: TLS{Insecure: true}, Username: "me", Password: secret}
	if d := cmp.Diff(want, basic); d != "" {
		t.Error(d)
	}
}

// Relative paths of certificates are relative to the file that contains them, not to the working
// directory.
func TestPathsAreRelativeToTheirFile(t *testing.T) {
	h := newHouse(t)
	a := h.write("a/config", "current-context: x\ncontexts:\n- name: x\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: 'https://c', certificate-authority: pki/ca.pem}\n")
	b := h.write("b/config", "users:\n- name: u\n  user: {client-certificate: /abs/c.pem, client-key: ../k.pem, tokenFile: t}\n")
	h.env["KUBECONFIG"] = a + string(os.PathListSeparator) + b
	got, err := load(Options{}, h.system())
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Server: "https://c", Context: "x", Namespace: "default",
		TLS:       TLS{CAFile: filepath.Join(h.dir, "a/pki/ca.pem"), CertFile: "/abs/c.pem", KeyFile: filepath.Join(h.dir, "k.pem")},
		TokenFile: filepath.Join(h.dir, "b/t"),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	// If the path of the kubeconfig itself is relative, the result does not depend on the
	// directory.
	t.Chdir(h.dir)
	got, err = load(Options{Path: "a/config"}, h.system())
	if err == nil {
		t.Fatalf("the user is in the other file, and here is %v", got)
	}
	h.write("a/both", "current-context: x\ncontexts:\n- name: x\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: 'https://c', certificate-authority: pki/ca.pem}\nusers: [{name: u}]\n")
	got, err = load(Options{Path: "a/both"}, h.system())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(h.dir, "a/pki/ca.pem"); got.TLS.CAFile != want {
		t.Errorf("CA is %s, want %s", got.TLS.CAFile, want)
	}
}
