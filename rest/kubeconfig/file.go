package kubeconfig

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tideway-go/tideway/rest/internal/files"
)

// file is one kubeconfig as written. Fields that are not listed here are ignored.
type file struct {
	Kind           string  `yaml:"kind"`
	APIVersion     string  `yaml:"apiVersion"`
	CurrentContext string  `yaml:"current-context"`
	Clusters       []named `yaml:"clusters"`
	Users          []named `yaml:"users"`
	Contexts       []named `yaml:"contexts"`

	name string // the name that errors show
	dir  string // for relative paths; "" leaves them alone
}

// named is an entry of one of the lists.
type named struct {
	Name    string        `yaml:"name"`
	Cluster *clusterEntry `yaml:"cluster"`
	User    *userEntry    `yaml:"user"`
	Context *contextEntry `yaml:"context"`

	file *file // contains the entry
}

type clusterEntry struct {
	Server             string `yaml:"server"`
	TLSServerName      string `yaml:"tls-server-name"`
	Insecure           bool   `yaml:"insecure-skip-tls-verify"`
	CAFile             string `yaml:"certificate-authority"`
	CAData             string `yaml:"certificate-authority-data"`
	ProxyURL           string `yaml:"proxy-url"`
	DisableCompression bool   `yaml:"disable-compression"`

	Extensions []struct {
		Name      string    `yaml:"name"`
		Extension yaml.Node `yaml:"extension"`
	} `yaml:"extensions"`
}

type userEntry struct {
	CertFile  string `yaml:"client-certificate"`
	CertData  string `yaml:"client-certificate-data"`
	KeyFile   string `yaml:"client-key"`
	KeyData   string `yaml:"client-key-data"`
	Token     string `yaml:"token"`
	TokenFile string `yaml:"tokenFile"`
	Username  string `yaml:"username"`
	Password  string `yaml:"password"`

	As       string              `yaml:"as"`
	AsUID    string              `yaml:"as-uid"`
	AsGroups []string            `yaml:"as-groups"`
	AsExtra  map[string][]string `yaml:"as-user-extra"`

	Exec *execEntry `yaml:"exec"`

	AuthProvider yaml.Node `yaml:"auth-provider"` // refused, never ignored
}

type contextEntry struct {
	Cluster   string `yaml:"cluster"`
	User      string `yaml:"user"`
	Namespace string `yaml:"namespace"`
}

// parse reads the text of one kubeconfig.
func parse(data []byte, name, dir string) (*file, error) {
	if len(data) > files.MaxKubeconfig {
		return nil, fmt.Errorf("kubeconfig %s: it is larger than 4 MiB", name)
	}
	f := &file{}
	if err := yaml.Unmarshal(toUTF8(data), f); err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %s", name, yamlReason(err))
	}
	f.name, f.dir = name, dir
	if f.Kind != "" && f.Kind != "Config" || f.APIVersion != "" && f.APIVersion != "v1" {
		return nil, fmt.Errorf("kubeconfig %s: it has kind %q and apiVersion %q: want Config and v1", name, f.Kind, f.APIVersion)
	}
	for _, l := range []struct {
		what    string
		entries []named
	}{{"clusters", f.Clusters}, {"users", f.Users}, {"contexts", f.Contexts}} {
		seen := make(map[string]bool, len(l.entries))
		for i := range l.entries {
			n := l.entries[i].Name
			if seen[n] {
				return nil, fmt.Errorf("kubeconfig %s: %s: %q appears twice", name, l.what, n)
			}
			seen[n] = true
			l.entries[i].file = f
		}
	}
	return f, nil
}

// path resolves a path in the file relative to the directory of the file.
func (f *file) path(p string) string {
	if p == "" || f.dir == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(f.dir, p)
}

// given reports whether a field that cannot be honoured has a value.
func given(n *yaml.Node) bool {
	switch n.Kind {
	case 0:
		return false
	case yaml.ScalarNode:
		return n.Tag != "!!null" && n.Value != ""
	case yaml.AliasNode:
		return given(n.Alias)
	default:
		return len(n.Content) > 0
	}
}

// yamlReason returns, on one line, what is wrong with the text. The decoder quotes values that it
// cannot use, and any of them may be a secret.
func yamlReason(err error) string {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	s = strings.TrimPrefix(s, "unmarshal errors:\n")
	s, more, _ := strings.Cut(s, "\n")
	s = withoutQuoted(strings.TrimSpace(s))
	if more != "" {
		s += ", and more"
	}
	return s
}

// withoutQuoted replaces what an error quotes.
func withoutQuoted(s string) string {
	for _, quote := range []string{"`", `"`, "'"} {
		first, last := strings.Index(s, quote), strings.LastIndex(s, quote)
		switch {
		case first >= 0 && last == first: // the line ended inside the value
			s = s[:first] + quote + "..."
		case last > first+len("x")+1: // a single character is part of the grammar
			s = s[:first] + quote + "..." + quote + s[last+1:]
		}
	}
	return s
}
