package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/google/go-cmp/cmp"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Three readings of ten seconds, of which the second finds its version too old.
func TestReadings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client, err := living(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		p := program{out: &out, until: lastNamespace, timeout: 10 * time.Second}
		start := time.Now()
		if err := p.follow(ctx, rest.For[corev1.Namespace](client, "Namespace")); err != nil || time.Since(start) != 15*time.Second {
			t.Errorf("it ended with %v after %v", err, time.Since(start))
		}
		cancel()
		client.CloseIdle()
		got := regexp.MustCompile(`\(\d+ bytes of JSON\)`).ReplaceAllString(out.String(), "(JSON)")
		if d := cmp.Diff(readings, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	})
}

const readings = `ADDED default is Active (JSON)
ADDED kube-node-lease is Active (JSON)
ADDED kube-public is Active (JSON)
ADDED kube-system is Active (JSON)
ADDED team-1 is Active (JSON)
ADDED team-2 is Active (JSON)
ADDED team-3 is Active (JSON)
the reading is over
ERROR watch namespaces: expired (410): too old resource version: 5 (9000)
too old; listed 7 namespaces
ADDED team-4 is Active (JSON)
ADDED team-5 is Active (JSON)
`

// A version that the caller gives is where the first reading begins: there is no list.
func TestFromAVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(t, fakeapi.Options{})
		list, err := server.Get("Namespace", "", "default")
		if err != nil {
			t.Fatal(err)
		}
		namespace := rest.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "a"}}
		if _, err := server.Create(namespace); err != nil {
			t.Fatal(err)
		}
		p := program{out: &strings.Builder{}, until: "a", version: list.ResourceVersion(), timeout: time.Second}
		if err := p.follow(t.Context(), rest.For[corev1.Namespace](server.Client(), "Namespace")); err != nil {
			t.Error(err)
		}
		if j := server.Journal(); len(j) != 1 || !strings.Contains(j[0].Query, "watch=true") {
			t.Errorf("the requests are %v, want one watch", j)
		}
	})
}

// A watch that cannot begin ends the program with its error.
func TestBadTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(t, fakeapi.Options{})
		p := program{out: &strings.Builder{}, timeout: -time.Second}
		err := p.follow(t.Context(), rest.For[corev1.Namespace](server.Client(), "Namespace"))
		if !errors.Is(err, rest.ErrInvalidArgument) {
			t.Errorf("got %v", err)
		}
	})
}
