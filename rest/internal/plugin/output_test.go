package plugin

import (
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// What a program prints is used, or refused in one line that repeats nothing.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"hunter2"}}`))
	f.Add([]byte("kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus: {token: hunter2, expirationTimestamp: x}"))
	f.Add([]byte("{\"status\":{\"token\":\"a\nb\"}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parse(text, kubeconfig.ExecV1)
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
