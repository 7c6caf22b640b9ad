package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// output is an ExecCredential as programs print it.
type output struct {
	Kind       string  `json:"kind" yaml:"kind"`
	APIVersion string  `json:"apiVersion" yaml:"apiVersion"`
	Status     *status `json:"status" yaml:"status"`
}

type status struct {
	Expires *string `json:"expirationTimestamp" yaml:"expirationTimestamp"`
	Token   string  `json:"token" yaml:"token"`
	Cert    string  `json:"clientCertificateData" yaml:"clientCertificateData"`
	Key     string  `json:"clientKeyData" yaml:"clientKeyData"`
}

// parse decodes the output of the program. An error repeats at most the kind and the version: the
// rest may be secret.
func parse(text []byte, x *kubeconfig.Exec) (Credential, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	var o output
	var err error
	switch {
	case len(text) == 0:
		return Credential{}, errors.New("it printed nothing")
	case text[0] == '{':
		err = json.Unmarshal(text, &o, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	default:
		err = yaml.Unmarshal(text, &o)
	}
	if err != nil {
		return Credential{}, errors.New("its output is not an ExecCredential") // the cause quotes the text
	}
	switch {
	case o.Kind != "" && o.Kind != "ExecCredential": // the version alone is enough
		return Credential{}, fmt.Errorf("it printed an object of kind %q, not an ExecCredential", short(x, o.Kind))
	case o.APIVersion != x.APIVersion:
		return Credential{}, fmt.Errorf("it answered in apiVersion %q, but was asked in %q", short(x, o.APIVersion), x.APIVersion)
	case o.Status == nil:
		return Credential{}, errors.New("it printed no status")
	}
	return o.Status.credential()
}

// credential checks the contents of the status.
func (s *status) credential() (Credential, error) {
	c := Credential{Token: strings.TrimSpace(s.Token), Cert: []byte(s.Cert), Key: []byte(s.Key)}
	switch {
	case c.Token == "" && s.Cert == "" && s.Key == "":
		return Credential{}, errors.New("it printed neither a token nor a certificate with a key")
	case s.Cert == "":
		if s.Key != "" {
			return Credential{}, errors.New("it printed a key without a certificate")
		}
	case s.Key == "":
		return Credential{}, errors.New("it printed a certificate without a key")
	}
	for i := range len(c.Token) {
		if c.Token[i] < ' ' || c.Token[i] == 0x7f {
			return Credential{}, errors.New("its token has characters that no header can carry")
		}
	}
	if s.Expires != nil {
		t, err := time.Parse(time.RFC3339, *s.Expires)
		if err != nil {
			return Credential{}, errors.New("its expirationTimestamp is not an RFC 3339 time")
		}
		c.Expires = t
	}
	return c, nil
}
