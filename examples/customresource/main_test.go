package main

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const life = `ADDED nightly of data ""
MODIFIED nightly of data "Done"
DELETED nightly
`

func TestKeep(t *testing.T) {
	left := rest.Object{
		"apiVersion": "example.com/v1", "kind": "Backup", "metadata": map[string]any{"name": "nightly", "namespace": "default"},
		"spec": map[string]any{"volume": "data"},
	}
	for name, objects := range map[string][]any{"fresh": nil, "left by another run": {left}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := fakeapi.New(t, fakeapi.Options{Kinds: []rest.Served{served}, Objects: objects})
				var out strings.Builder
				if err := keep(t.Context(), &out, rest.ForKind[Backup](server.Client(), kind).In("default")); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(life, out.String()); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		})
	}
}

// A stream that is cut halfway changes nothing but the time it takes.
func TestKeepThroughACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(t, fakeapi.Options{Kinds: []rest.Served{served}})
		server.Inject(fakeapi.Cut().AfterEvents(1).On("watch", "backups.example.com"))
		var out strings.Builder
		if err := keep(t.Context(), &out, rest.ForKind[Backup](server.Client(), kind).In("default")); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(out.String(), "\n")
		var kept []string
		failures := 0
		for _, l := range lines {
			if strings.HasPrefix(l, "watch Backup failed, retrying in ") {
				failures++
				continue
			}
			kept = append(kept, l)
		}
		if d := cmp.Diff(life, strings.Join(kept, "\n")); d != "" || failures != 1 {
			t.Errorf("%d failures, (-want +got)\n%s", failures, d)
		}
	})
}

func TestKeepRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(t, fakeapi.Options{Kinds: []rest.Served{served}})
		server.Inject(fakeapi.Refuse(403).On("patch", "backups.example.com"))
		err := keep(t.Context(), &strings.Builder{}, rest.ForKind[Backup](server.Client(), kind).In("default"))
		if err == nil || !strings.HasPrefix(err.Error(), "patch backups.example.com/status default/nightly: forbidden (403)") {
			t.Errorf("got %v", err)
		}
	})
}

// A watch that cannot begin ends the loop with its error.
func TestKeepNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(t, fakeapi.Options{Kinds: []rest.Served{served}})
		for range 20 { // the watch and the creation both fail; either may be noticed first
			err := keep(t.Context(), &strings.Builder{}, rest.ForKind[Backup](server.Client(), kind).In("a/b"))
			if !errors.Is(err, rest.ErrInvalidArgument) {
				t.Fatalf("got %v", err)
			}
		}
	})
}
