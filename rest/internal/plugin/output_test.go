package plugin

import (
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// The output of a program is used, or refused with an error on one line that repeats none of it.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"hunter2"}}`))
	f.Add([]byte("kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus: {token: hunter2, expirationTimestamp: x}"))
	f.Add([]byte("{\"status\":{\"token\":\"a\nb\"}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parse(text, &kubeconfig.Exec{APIVersion: kubeconfig.ExecV1})
		switch {
		case err != nil && strings.Contains(err.Error(), "\n"):
			t.Errorf("the error has more than one line: %q", err)
		case err == nil && c.Token == "" && len(c.Cert) == 0:
			t.Error("there is no credential")
		case err == nil && (len(c.Cert) == 0) != (len(c.Key) == 0):
			t.Error("there is half a pair")
		}
	})
}

// The version is sufficient: some programs omit the kind.
func TestParseWithoutKind(t *testing.T) {
	for _, text := range []string{
		`{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}`,
		`{"apiVersion":"client.authentication.k8s.io/v1","kind":"","status":{"token":"t"}}`,
		"apiVersion: client.authentication.k8s.io/v1\nstatus: {token: t}\n",
	} {
		if c, err := parse([]byte(text), &kubeconfig.Exec{APIVersion: kubeconfig.ExecV1}); err != nil || c.Token != "t" {
			t.Errorf("%s: the token is %q, the error %v", text, c.Token, err)
		}
	}
	if _, err := parse([]byte(`{"status":{"token":"t"}}`), &kubeconfig.Exec{APIVersion: kubeconfig.ExecV1}); err == nil {
		t.Error("an object with neither version nor kind is accepted as a credential")
	}
}
