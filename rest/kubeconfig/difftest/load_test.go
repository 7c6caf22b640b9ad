package difftest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/runtime"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// outcome is what a library makes of a kubeconfig.
type outcome struct {
	Server, Namespace, Proxy          string
	CAData, CertData, KeyData         string
	CAFile, CertFile, KeyFile         string
	ServerName                        string
	Insecure, DisableCompression      bool
	Token, TokenFile, User, Password  string
	As, AsUID                         string
	AsGroups                          []string
	AsExtra                           map[string][]string
	Command, Version, Mode, Hint, Arg string
	Env                               map[string]string
	Info                              bool
	ClusterConfig                     string
}

// files are the paths of kubeconfigs, in the order of KUBECONFIG.
type files struct {
	dir  string
	list []string
}

// theirs loads with client-go.
func theirs(f files) (outcome, error) {
	rules := &clientcmd.ClientConfigLoadingRules{Precedence: f.list}
	if len(f.list) == 1 {
		rules = &clientcmd.ClientConfigLoadingRules{ExplicitPath: f.list[0]}
	}
	load := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{})
	c, err := load.ClientConfig()
	if err != nil {
		return outcome{}, err
	}
	namespace, _, err := load.Namespace()
	if err != nil {
		return outcome{}, err
	}
	bare := clientrest.CopyConfig(c)
	bare.ExecProvider = nil // its transport is cached forever and is not part of loading
	if _, err := clientrest.HTTPClientFor(bare); err != nil {
		return outcome{}, err
	}
	o := outcome{
		Server: strings.TrimRight(c.Host, "/"), Namespace: namespace, DisableCompression: c.DisableCompression,
		CAData: string(c.CAData), CertData: string(c.CertData), KeyData: string(c.KeyData), CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile,
		ServerName: c.ServerName, Insecure: c.Insecure, Token: c.BearerToken, TokenFile: c.BearerTokenFile, User: c.Username, Password: c.Password,
		As: c.Impersonate.UserName, AsUID: c.Impersonate.UID, AsGroups: c.Impersonate.Groups, AsExtra: c.Impersonate.Extra,
	}
	if c.Proxy != nil {
		u, err := c.Proxy(&http.Request{})
		if err != nil {
			return outcome{}, err
		}
		o.Proxy = u.String()
	}
	if x := c.ExecProvider; x != nil {
		o.Command, o.Version, o.Mode, o.Hint, o.Info = x.Command, x.APIVersion, string(x.InteractiveMode), x.InstallHint, x.ProvideClusterInfo
		o.Arg, o.Env = strings.Join(x.Args, "|"), map[string]string{}
		for _, v := range x.Env {
			o.Env[v.Name] = v.Value
		}
		if raw, ok := x.Config.(*runtime.Unknown); ok && raw != nil {
			o.ClusterConfig = canonical(raw.Raw)
		}
	}
	return o, nil
}

// ours loads with this library.
func ours(t *testing.T, f files) (outcome, error) {
	t.Helper()
	options := kubeconfig.Options{}
	if len(f.list) == 1 {
		options.Path = f.list[0]
	}
	t.Setenv("KUBECONFIG", strings.Join(f.list, string(os.PathListSeparator)))
	c, err := kubeconfig.Load(options)
	if err != nil {
		return outcome{}, err
	}
	if _, err := rest.New(c, rest.Options{}); err != nil {
		return outcome{}, err
	}
	o := outcome{
		Server: c.Server, Namespace: c.Namespace, Proxy: c.ProxyURL, DisableCompression: c.DisableCompression,
		CAData: string(c.TLS.CAData), CertData: string(c.TLS.CertData), KeyData: string(c.TLS.KeyData), CAFile: c.TLS.CAFile, CertFile: c.TLS.CertFile, KeyFile: c.TLS.KeyFile,
		ServerName: c.TLS.ServerName, Insecure: c.TLS.Insecure, Token: string(c.Token), TokenFile: c.TokenFile, User: c.Username, Password: string(c.Password),
		As: c.Impersonate.User, AsUID: c.Impersonate.UID, AsGroups: c.Impersonate.Groups, AsExtra: c.Impersonate.Extra,
	}
	if c.TokenFile != "" && c.Token == "" {
		// client-go reads the file when it loads, this library when it needs the token.
		raw, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return outcome{}, err
		}
		o.Token = string(raw)
	}
	if x := c.Exec; x != nil {
		o.Command, o.Version, o.Mode, o.Hint, o.Info = x.Command, x.APIVersion, string(x.Interactive), x.InstallHint, x.ProvideClusterInfo
		o.Arg, o.Env, o.ClusterConfig = strings.Join(x.Args, "|"), map[string]string{}, canonical(x.ClusterConfig)
		for _, v := range x.Env {
			o.Env[v.Name] = string(v.Value)
		}
	}
	return o, nil
}

// canonical writes JSON in a canonical form.
func canonical(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// compare loads with both libraries and returns the differences.
func compare(t *testing.T, texts ...string) string {
	t.Helper()
	f := files{dir: t.TempDir()}
	material(t, f.dir)
	for i, text := range texts {
		dir := filepath.Join(f.dir, string(rune('a'+i)))
		material(t, dir)
		path := filepath.Join(dir, "config")
		put(t, path, text)
		f.list = append(f.list, path)
	}
	theirOutcome, theirErr := theirs(f)
	ourOutcome, ourErr := ours(t, f)
	switch {
	case theirErr != nil && ourErr != nil:
		return ""
	case theirErr != nil:
		return "only client-go refuses: " + theirErr.Error()
	case ourErr != nil:
		return "only Tideway refuses: " + ourErr.Error()
	}
	return cmp.Diff(theirOutcome, ourOutcome, cmpopts.EquateEmpty())
}
