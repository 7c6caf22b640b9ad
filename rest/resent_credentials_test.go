package rest_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// After a 401 a request is sent a second time, but not a third time, if the token file has changed
// or the credential plugin runs again.
var resentWithCredentials = map[string]resentRow{
	"401, and the token file has changed": {
		want: []string{"POST pods", "POST pods", "POST pods"}, err: rest.ErrUnauthorized,
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			file := filepath.Join(t.TempDir(), "token")
			changes := func(r *http.Request) (*http.Response, error) {
				write(t, file, "new")
				return saysNo(401, "Unauthorized")(r)
			}
			write(t, file, "old")
			w.answers = append(w.answers, changes, saysWeb(), saysNo(401, "Unauthorized"))
			return createTwice(t, kubeconfig.Config{TokenFile: file}, w)
		},
	},
	"401, and the credential plugin prints another credential": {
		want: []string{"POST pods", "POST pods", "POST pods", "POST pods"}, err: rest.ErrUnauthorized,
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			p := newProgram(t, answerV1(`{"token":"number %n"}`))
			no := saysNo(401, "Unauthorized")
			w.answers = append(w.answers, no, saysWeb(), no, no)
			return createTwice(t, kubeconfig.Config{Exec: p.exec()}, w)
		},
	},
}

// createTwice creates two pods. The first one must succeed.
func createTwice(t *testing.T, cfg kubeconfig.Config, w *wire) error {
	t.Helper()
	cfg.Server = "http://localhost"
	client, err := rest.New(cfg, rest.Options{Transport: w})
	if err != nil {
		t.Fatal(err)
	}
	pods := rest.For[rest.Object](client, "Pod").In("default")
	if err := createWeb(t.Context(), pods); err != nil {
		t.Fatal(err)
	}
	return createWeb(t.Context(), pods)
}
