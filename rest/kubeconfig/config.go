package kubeconfig

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// DefaultNamespace is the namespace of a Config that does not name one.
const DefaultNamespace = "default"

// Config says where a cluster is and who is asking.
//
// It is made by [Load], [InCluster] or [Parse], or written by hand. When printed it shows no
// secrets.
type Config struct {
	// Server is the address of the API server: https://host:port, followed by a path if the API is
	// served under a prefix. Query and fragment are dropped.
	Server string

	// Context is the name of the kubeconfig context that this came from, or "" if it came from
	// elsewhere.
	Context string

	// Namespace is the namespace to use where the program does not name one. Default: "default".
	Namespace string

	// TLS says which certificate authority to trust and which client certificate to present.
	TLS TLS

	// Token is a bearer token.
	Token Secret

	// TokenFile is the path of a file with a bearer token. The file is read again as the token
	// rotates, and wins over Token once it can be read. It may have up to 1 MiB.
	TokenFile string

	// Username is the name for basic authentication.
	Username string

	// Password is the password for basic authentication.
	Password Secret

	// Exec is a program that prints credentials. Token, TokenFile, Username and a client
	// certificate take precedence over it.
	Exec *Exec

	// Impersonate is the user to act as.
	Impersonate Impersonate

	// ProxyURL is the proxy for all connections: http, https or socks5. Default: as HTTPS_PROXY,
	// HTTP_PROXY and NO_PROXY say.
	ProxyURL string

	// DisableCompression is passed on to credential plugins, and changes nothing else: a client
	// never asks for compressed answers, nor lets Options.Transport of package rest ask for them.
	DisableCompression bool
}

// TLS says which certificate authority to trust and which client certificate to present.
//
// If both the data and the file of a pair are set, the data wins.
type TLS struct {
	// CAData holds, in PEM, the certificates that the server's certificate must chain to. Default:
	// those of the system.
	CAData []byte
	// CAFile is the path of a file with such certificates.
	CAFile string

	// CertData is the client certificate, in PEM.
	CertData []byte
	// CertFile is the path of a file with the client certificate.
	CertFile string

	// KeyData is the key of the client certificate, in PEM.
	KeyData Secret
	// KeyFile is the path of a file with the key.
	KeyFile string

	// ServerName is sent to the server, and verified, instead of the host of Config.Server.
	ServerName string

	// Insecure accepts any server certificate. It cannot be combined with CAData or CAFile.
	Insecure bool
}

// String says where the certificates come from, and does not show the key.
func (t TLS) String() string {
	from := func(data bool, file string) string {
		switch {
		case data:
			return "data"
		case file != "":
			return strconv.Quote(file)
		}
		return "none"
	}
	return fmt.Sprintf("kubeconfig.TLS{authority: %s, certificate: %s, key: %s, server name: %q, insecure: %t}",
		from(len(t.CAData) > 0, t.CAFile), from(len(t.CertData) > 0, t.CertFile), from(t.KeyData != "", t.KeyFile), t.ServerName, t.Insecure)
}

// Format writes the result of String, whatever the verb.
func (t TLS) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, t.String()) }

// MarshalText returns the result of String; encoders of JSON and slog use it.
func (t TLS) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// MarshalBinary returns the result of String; gob uses it.
func (t TLS) MarshalBinary() ([]byte, error) { return t.MarshalText() }

// HasCert reports whether a client certificate, or the key of one, is configured.
func (t TLS) HasCert() bool {
	return len(t.CertData) > 0 || t.CertFile != "" || t.KeyData != "" || t.KeyFile != ""
}

// URL returns Server as requests use it: without query, fragment and trailing slash.
//
// An address is an error if it is malformed, if its scheme is neither http nor https, if it has no
// host, or if it contains a user.
func (c Config) URL() (*url.URL, error) {
	if c.Server == "" {
		return nil, errors.New("the server's address is empty")
	}
	u, err := url.Parse(c.Server)
	if err == nil && u.User != nil && u.Host != "" {
		return nil, errors.New("the server's address contains a user: use Username and Password")
	}
	if strings.Contains(c.Server, "@") {
		// The part before it may be a password, wherever the parser put it.
		return nil, errors.New("the server's address contains an @ and is not of the form https://host:port")
	}
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		return nil, line.Errorf("the server's address is not a valid URL: %s", withoutQuoted(err.Error()))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "" || u.Hostname() == "":
		return nil, line.Errorf("the server's address %q is not of the form https://host:port", shownAddress(u))
	}
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// shownAddress returns an address without what may hold a secret: its query and its fragment.
func shownAddress(u *url.URL) string {
	opaque := u.Opaque
	if strings.Trim(opaque, "0123456789") != "" { // a port is the usual mistake
		opaque = "..."
	}
	return (&url.URL{Scheme: u.Scheme, Opaque: opaque, Host: u.Host, Path: u.Path}).String()
}

// Credentials returns the kind of credentials that requests carry.
//
// It is "token file", "token", "basic", "client certificate", "exec" or "none".
func (c Config) Credentials() string {
	switch {
	case c.TokenFile != "":
		return "token file"
	case c.Token != "":
		return "token"
	case c.Username != "" || c.Password != "":
		return "basic"
	case c.TLS.HasCert():
		return "client certificate"
	case c.Exec != nil:
		return "exec"
	}
	return "none"
}

// String describes the configuration without secrets.
func (c Config) String() string {
	server := "?"
	if u, err := c.URL(); err == nil {
		server = u.String()
	}
	return fmt.Sprintf("kubeconfig.Config{server: %s, context: %q, namespace: %q, credentials: %s}",
		server, c.Context, c.Namespace, c.Credentials())
}

// GoString returns the result of String.
func (c Config) GoString() string { return c.String() }

// Format writes the result of String, whatever the verb.
func (c Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, c.String()) }

// MarshalText returns the result of String; encoders of JSON and YAML use it.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalBinary returns the result of String; gob uses it.
func (c Config) MarshalBinary() ([]byte, error) { return c.MarshalText() }
