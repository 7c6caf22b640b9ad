package kubeconfig

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// merged is the content of several files, taken together.
type merged struct {
	current   string
	currentIn *file
	clusters  map[string]named
	users     map[string]named
	contexts  map[string]named
	files     []*file
}

// merge joins files: the first one that defines a name wins, with its whole entry.
func merge(files []*file) *merged {
	m := &merged{
		clusters: map[string]named{},
		users:    map[string]named{},
		contexts: map[string]named{},
		files:    files,
	}
	add := func(to map[string]named, entries []named) {
		for _, e := range entries {
			if _, ok := to[e.Name]; !ok {
				to[e.Name] = e
			}
		}
	}
	for _, f := range files {
		add(m.clusters, f.Clusters)
		add(m.users, f.Users)
		add(m.contexts, f.Contexts)
		if m.current == "" && f.CurrentContext != "" {
			m.current, m.currentIn = f.CurrentContext, f
		}
	}
	return m
}

// empty reports whether the files define nothing at all.
func (m *merged) empty() bool {
	return m.current == "" && len(m.clusters) == 0 && len(m.users) == 0 && len(m.contexts) == 0
}

// where returns the names of the files, for errors.
func (m *merged) where() string {
	names := make([]string, len(m.files))
	for i, f := range m.files {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// resolve returns the configuration for one context.
func (m *merged) resolve(o Options) (Config, error) {
	name, in := m.current, m.where()
	if m.currentIn != nil {
		in = m.currentIn.name
	}
	what := "the current context"
	if o.Context != "" {
		name, in, what = o.Context, m.where(), "the context"
	}
	switch {
	case len(m.contexts) == 0:
		return Config{}, fmt.Errorf("kubeconfig %s: there are no contexts", m.where())
	case name == "":
		return Config{}, fmt.Errorf("kubeconfig %s: there is no current context; known contexts: %s", m.where(), names(m.contexts))
	}
	c, ok := m.contexts[name]
	if !ok {
		return Config{}, fmt.Errorf("kubeconfig %s: %s %q does not exist; known contexts: %s", in, what, name, names(m.contexts))
	}
	cfg, err := m.config(c)
	if err != nil {
		return Config{}, fmt.Errorf("kubeconfig %s: context %q: %w", c.file.name, name, err)
	}
	if o.Namespace != "" {
		cfg.Namespace = o.Namespace
	}
	return cfg, nil
}

// config combines the parts of a context.
func (m *merged) config(c named) (Config, error) {
	if c.Context == nil {
		return Config{}, errors.New("the entry is empty")
	}
	if c.Context.Cluster == "" {
		return Config{}, errors.New("it names no cluster")
	}
	if c.Context.User == "" {
		return Config{}, errors.New("it names no user")
	}
	if n := c.Context.Namespace; n != "" && !isLabel(n) {
		return Config{}, fmt.Errorf("the namespace %q is not a DNS label", n)
	}
	cluster, ok := m.clusters[c.Context.Cluster]
	if !ok {
		return Config{}, fmt.Errorf("the cluster %q does not exist; known clusters: %s", c.Context.Cluster, names(m.clusters))
	}
	user, ok := m.users[c.Context.User]
	if !ok {
		return Config{}, fmt.Errorf("the user %q does not exist; known users: %s", c.Context.User, names(m.users))
	}
	cfg := Config{Context: c.Name, Namespace: c.Context.Namespace}
	if cfg.Namespace == "" {
		cfg.Namespace = DefaultNamespace
	}
	if err := cfg.setCluster(cluster); err != nil {
		return Config{}, fmt.Errorf("cluster %q: %w", cluster.Name, err)
	}
	err := cfg.setUser(user)
	if err != nil {
		return Config{}, fmt.Errorf("user %q: %w", user.Name, err)
	}
	if cfg.Exec != nil {
		if cfg.Exec.ClusterConfig, err = execConfig(cluster.Cluster); err != nil {
			return Config{}, fmt.Errorf("cluster %q: %w", cluster.Name, err)
		}
	}
	return cfg, nil
}

// setCluster fills in where the server is.
func (c *Config) setCluster(n named) error {
	if n.Cluster == nil {
		return errors.New("the entry is empty")
	}
	e := n.Cluster
	c.Server = e.Server
	u, err := c.URL()
	if err != nil {
		return err
	}
	c.Server = u.String()
	c.TLS.ServerName = e.TLSServerName
	c.TLS.Insecure = e.Insecure
	c.DisableCompression = e.DisableCompression
	if c.TLS.CAData, err = decodeData("certificate-authority-data", e.CAData); err != nil {
		return err
	}
	if len(c.TLS.CAData) == 0 {
		c.TLS.CAFile = n.file.path(e.CAFile)
	}
	if c.TLS.Insecure && (len(c.TLS.CAData) > 0 || c.TLS.CAFile != "") {
		return errors.New("insecure-skip-tls-verify cannot be combined with a certificate authority")
	}
	c.ProxyURL = e.ProxyURL
	return checkProxy(e.ProxyURL)
}

// setUser fills in who is asking.
func (c *Config) setUser(n named) error {
	e := n.User
	if e == nil {
		return nil // anonymous: some servers allow it
	}
	if given(&e.AuthProvider) {
		return errors.New("auth-provider is not supported, since Kubernetes has removed it: use exec or a token")
	}
	var err error
	if c.TLS.CertData, err = decodeData("client-certificate-data", e.CertData); err != nil {
		return err
	}
	key, err := decodeData("client-key-data", e.KeyData)
	if err != nil {
		return err
	}
	c.TLS.KeyData = Secret(key)
	if len(c.TLS.CertData) == 0 {
		c.TLS.CertFile = n.file.path(e.CertFile)
	}
	if len(key) == 0 {
		c.TLS.KeyFile = n.file.path(e.KeyFile)
	}
	c.Token, c.TokenFile = Secret(e.Token), n.file.path(e.TokenFile)
	c.Username, c.Password = e.Username, Secret(e.Password)
	c.Impersonate = Impersonate{e.As, e.AsUID, e.AsGroups, e.AsExtra}
	if e.Exec != nil {
		if c.Exec, err = e.Exec.exec(n.file); err != nil {
			return err
		}
	}
	return c.checkUser()
}

// checkUser refuses credentials that are incomplete or contradict each other.
func (c *Config) checkUser() error {
	hasCert := len(c.TLS.CertData) > 0 || c.TLS.CertFile != ""
	hasKey := c.TLS.KeyData != "" || c.TLS.KeyFile != ""
	switch {
	case hasCert && !hasKey:
		return errors.New("there is a client certificate without a key")
	case hasKey && !hasCert:
		return errors.New("there is a client key without a certificate")
	case (c.Username != "" || c.Password != "") && (c.Token != "" || c.TokenFile != ""):
		return errors.New("both a token and a username are given")
	}
	return c.Impersonate.Validate()
}

// checkProxy refuses a proxy address that cannot be used.
func checkProxy(proxy string) error {
	if proxy == "" {
		return nil
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" {
		return errors.New("proxy-url is not of the form http://host:port") // it may hold a password
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return nil
	}
	return fmt.Errorf("the scheme %q of proxy-url is not one of http, https, socks5", u.Scheme)
}

// decodeData decodes a base64 field, which may contain line breaks.
func decodeData(field, value string) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(value), ""))
	if err != nil {
		return nil, fmt.Errorf("%s is not base64", field)
	}
	return data, nil
}

// names lists the names of entries.
func names(entries map[string]named) string {
	if len(entries) == 0 {
		return "none"
	}
	quoted := make([]string, 0, len(entries))
	for n := range entries {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	slices.Sort(quoted)
	return strings.Join(quoted, ", ")
}

// isLabel reports whether s is a DNS label, as namespaces must be.
func isLabel(s string) bool {
	const most = 63
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-' && i > 0 && i < len(s)-1:
		default:
			return false
		}
	}
	return s != "" && len(s) <= most
}
