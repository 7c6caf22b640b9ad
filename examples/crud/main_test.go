package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLife(t *testing.T) {
	want := []string{
		"created tideway-crud", "modified modify", "updated update", "patched patch", "scaled to 0",
		"listed tideway-crud patch", "kept: it has changed since it was read", "deleted tideway-crud",
	}
	for name, objects := range map[string][]any{"fresh": nil, "left by another run": {deployment()}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := fakeapi.New(t, fakeapi.Options{Objects: objects})
				var out strings.Builder
				if err := life(t.Context(), &out, rest.For[appsv1.Deployment](server.Client(), "Deployment").In("default")); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, strings.Split(strings.TrimSpace(out.String()), "\n")); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}
