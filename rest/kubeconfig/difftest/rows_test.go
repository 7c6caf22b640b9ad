package difftest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// text returns a kubeconfig with one context.
func text(cluster, user, context string) string {
	return "apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters:\n- {name: c, cluster: " + cluster + "}\nusers:\n- {name: u, user: " + user +
		"}\ncontexts:\n- {name: x, context: " + context + "}\n"
}

const (
	server = "{server: 'https://c:6443'}"
	both   = "{cluster: c, user: u}"
	plugin = "apiVersion: client.authentication.k8s.io/v1, command: aws, interactiveMode: Never"
)

// Rows for which both libraries decide alike.
func TestAlike(t *testing.T) {
	cert, key := data()
	for name, texts := range map[string][]string{
		"token":             {text(server, "{token: t}", both)},
		"token file":        {text(server, "{tokenFile: token}", both)},
		"both":              {text(server, "{token: a, tokenFile: ../token}", both)},
		"no token file":     {text(server, "{tokenFile: nowhere}", both)},
		"basic":             {text(server, "{username: a, password: b}", both)},
		"token and basic":   {text(server, "{token: a, username: b}", both)},
		"token, password":   {text(server, "{token: a, password: b}", both)},
		"certificate files": {text("{server: 'https://c', certificate-authority: c.pem}", "{client-certificate: c.pem, client-key: ../k.pem}", both)},
		"certificate data":  {text("{server: 'https://c', certificate-authority-data: "+cert+"}", "{client-certificate-data: "+cert+", client-key-data: "+key+"}", both)},
		"certificate alone": {text(server, "{client-certificate: c.pem}", both)},
		"no file":           {text("{server: 'https://c', certificate-authority: nowhere}", "{}", both)},
		"no PEM":            {text("{server: 'https://c', certificate-authority: token}", "{}", both)},
		"no base64":         {text("{server: 'https://c', certificate-authority-data: '!'}", "{}", both)},
		"insecure":          {text("{server: 'https://c', insecure-skip-tls-verify: true, tls-server-name: name}", "{}", both)},
		"insecure with CA":  {text("{server: 'https://c', insecure-skip-tls-verify: true, certificate-authority: c.pem}", "{}", both)},
		"prefix and query":  {text("{server: 'https://c/k8s/x?a=b#c'}", "{}", both)},
		"proxies":           {text("{server: 'https://c', proxy-url: 'socks5://a:b@p:1', disable-compression: true}", "{}", both)},
		"proxy scheme":      {text("{server: 'https://c', proxy-url: 'ftp://p'}", "{}", both)},
		"impersonation":     {text(server, "{token: t, as: a, as-uid: '1', as-groups: [b, c], as-user-extra: {d: [e]}}", both)},
		"groups alone":      {text(server, "{as-groups: [b]}", both)},
		"uid alone":         {text(server, "{as-uid: b}", both)},
		"namespace":         {text(server, "{}", "{cluster: c, user: u, namespace: ns}")},
		"plugin":            {text("{server: 'https://c', extensions: [{name: client.authentication.k8s.io/exec, extension: {a: [1, b]}}]}", "{exec: {"+plugin+", args: [a, b], env: [{name: a, value: b}], installHint: h, provideClusterInfo: true}}", both)},
		"plugin by path":    {text(server, "{exec: {"+strings.Replace(plugin, "aws", "./aws", 1)+"}}", both)},
		"plugin, v1beta1":   {text(server, "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: a}}", both)},
		"plugin, no mode":   {text(server, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: a}}", both)},
		"plugin, mode":      {text(server, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: never}}", both)},
		"plugin, command":   {text(server, "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}", both)},
		"plugin, variable":  {text(server, "{exec: {"+plugin+", env: [{value: b}]}}", both)},
		"no cluster":        {text(server, "{}", "{user: u}")},
		"other cluster":     {text(server, "{}", "{cluster: d, user: u}")},
		"empty cluster":     {text("{}", "{}", both)},
		"null user":         {text(server, "null", both)},
		"contexts: null":    {"apiVersion: v1\nkind: Config\ncontexts: null\ncurrent-context: x\n"},
		"other context":     {strings.Replace(text(server, "{}", both), "current-context: x", "current-context: z", 1)},
		"no context":        {strings.Replace(text(server, "{}", both), "current-context: x", "", 1)},
		"kind":              {strings.Replace(text(server, "{}", both), "Config", "Pod", 1)},
		"version":           {strings.Replace(text(server, "{}", both), "v1", "v2", 1)},
		"no kind":           {strings.Replace(text(server, "{}", both), "apiVersion: v1\nkind: Config\n", "", 1)},
		"unknown fields":    {text("{server: 'https://c', x: 1}", "{token: t, other: {z: 1}}", both) + "other: [1]\n"},
		"name twice":        {strings.Replace(text(server, "{}", both), "users:\n", "users:\n- {name: u, user: {}}\n", 1)},
		"no YAML":           {"a: b: c"},
		"list for a token":  {text(server, "{token: [a]}", both)},
		"mark":              {"\ufeff" + text(server, "{token: t}", both)},
		"JSON":              {`{"apiVersion":"v1","kind":"Config","current-context":"x","clusters":[{"name":"c","cluster":{"server":"https://c"}}],"users":[{"name":"u","user":{"token":"t"}}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}]}`},
		"merged":            {text(server, "{tokenFile: token}", both), text("{server: 'https://d'}", "{token: b}", "{cluster: c, user: u, namespace: ns}")},
		"merged, parts":     {"current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n", "current-context: z\nclusters: [{name: c, cluster: {server: 'https://c', certificate-authority: c.pem}}]\n", "users: [{name: u, user: {tokenFile: token}}]\n"},
		"merged, broken":    {text(server, "{}", both), "a: b: c"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := compare(t, texts...); d != "" {
				t.Errorf("%s\n%s", d, strings.Join(texts, "---\n"))
			}
		})
	}
}

// Intended differences; docs/configuration.md gives the reasons.
func TestMeantToDiffer(t *testing.T) {
	cert, _ := data()
	for name, test := range map[string]struct{ text, want string }{
		"data wins over a file":  {text("{server: 'https://c', certificate-authority: c.pem, certificate-authority-data: "+cert+"}", "{}", both), "only client-go refuses"},
		"key without a cert":     {text(server, "{client-key: k.pem}", both), "only Tideway refuses"},
		"server without scheme":  {text("{server: 'c:6443'}", "{}", both), "only Tideway refuses"},
		"token over plain http":  {text("{server: 'http://c'}", "{token: t}", both), "only Tideway refuses"},
		"a number for a token":   {text(server, "{token: 12345}", both), "only client-go refuses"},
		"no user":                {text(server, "{}", "{cluster: c}"), "only Tideway refuses"},
		"another user":           {text(server, "{}", "{cluster: c, user: v}"), "only Tideway refuses"},
		"a bad namespace":        {text(server, "{}", "{cluster: c, user: u, namespace: Ns}"), "only Tideway refuses"},
		"a password, no name":    {text(server, "{tokenFile: token, password: a}", both), "only Tideway refuses"},
		"a member twice":         {text(server, "{}", both) + "users: []\n", "only Tideway refuses"},
		"a text that is no":      {text(server, "{}", "{cluster: c, user: u, namespace: no}"), "only client-go refuses"},
		"a proxy without a host": {text("{server: 'https://c', proxy-url: 'http://'}", "{}", both), "only Tideway refuses"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := compare(t, test.text); !strings.HasPrefix(d, test.want) {
				t.Errorf("difference is %q, want %q", d, test.want)
			}
		})
	}
}

// Random kubeconfigs, in which each part may be missing or broken.
func TestRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	cert, key := data()
	some := func(parts ...string) string {
		var chosen []string
		for _, p := range parts {
			choices := strings.Split(p, "|")
			if r.IntN(3) == 0 {
				chosen = append(chosen, choices[r.IntN(len(choices))])
			}
		}
		return "{" + strings.Join(chosen, ", ") + "}"
	}
	const count = 400
	for i := range count {
		cluster := some("insecure-skip-tls-verify: true|insecure-skip-tls-verify: 1", "certificate-authority-data: "+cert+"|certificate-authority: c.pem|certificate-authority: token",
			"tls-server-name: name", "proxy-url: 'http://p:1'|proxy-url: 'x://p'", "disable-compression: true", "other: 1", "extensions: [{name: client.authentication.k8s.io/exec, extension: {a: b}}]")
		if r.IntN(10) > 0 {
			cluster = strings.Replace(cluster, "{", "{server: 'https://c:6443/p', ", 1)
		}
		user := some("token: t|token: ''", "tokenFile: token|tokenFile: nowhere", "username: a|username: a, password: b",
			"client-certificate-data: "+cert+", client-key-data: "+key+"|client-certificate: c.pem, client-key: k.pem|client-certificate: c.pem", "as: a", "as-groups: [b]|as-groups: b", "as-user-extra: {c: [d]}",
			"exec: {"+plugin+"}|exec: null|exec: {command: a}", "other: {a: b}")
		context := some("cluster: c|cluster: c|cluster: c|cluster: d", "namespace: ns")
		context = strings.Replace(strings.Replace(context, "{", "{user: u, ", 1), ", }", "}", 1)
		if r.IntN(5) > 0 {
			context = both
		}
		texts := []string{text(cluster, user, context)}
		if r.IntN(4) == 0 {
			texts = append(texts, text(server, "{token: second}", both))
		}
		if d := compare(t, texts...); d != "" {
			t.Errorf("%s\n%s", d, strings.Join(texts, "---\n"))
			t.Fatalf("number %d of SEED=%d", i, seed)
		}
	}
}
