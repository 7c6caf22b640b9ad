package conformance_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
	"github.com/tideway-go/tideway/rest"
)

// wrongKinds are entries of the table in rest that are known to be wrong; one that is right has to be taken from here.
var wrongKinds = map[string]bool{
	"storage.k8s.io/v1/CSINode": true, // it has a status
}

// TestKinds holds the built-in table of rest against what a server with all its APIs switched on says that it serves.
func TestKinds(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is nothing to compare rest with")
	}
	t.Parallel()
	server, err := realapi.Start(t.Context(), realapi.Options{APIServerFlags: []string{"--runtime-config=api/all=true"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })

	served := discover(t, server)
	var missing []string
	for name, want := range served {
		got, err := rest.Lookup(name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		if diff := cmp.Diff(want, got); (diff != "") != wrongKinds[name] {
			t.Errorf("%s (-served +rest):\n%s", name, diff)
		}
	}
	for kind := range rest.Kinds() {
		if _, ok := served[kind.String()]; !ok {
			t.Errorf("rest has %s, which is not served", kind)
		}
	}
	if len(missing) > 0 && !t.Failed() {
		slices.Sort(missing)
		t.Skipf("rest does not have %d of %d kinds yet:\n%s", len(missing), len(served), strings.Join(missing, "\n"))
	}
}

// discover asks for all kinds whose objects can be read, by their full names.
func discover(t *testing.T, server *realapi.Server) map[string]rest.Kind {
	t.Helper()
	transport := server.Transport()
	t.Cleanup(transport.CloseIdleConnections)
	ask := func(path string, into any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		as(realapi.Admin.Token)(req)
		resp, err := (&http.Client{Transport: transport}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, raw)
		}
	}
	var groups struct {
		Groups []struct {
			Versions []struct{ GroupVersion string }
		}
	}
	ask("/apis", &groups)
	versions := []string{"v1"}
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			versions = append(versions, version.GroupVersion)
		}
	}
	kinds := map[string]rest.Kind{}
	for _, gv := range versions {
		path := "/apis/" + gv
		group, version, _ := strings.Cut(gv, "/")
		if version == "" {
			path, group, version = "/api/"+gv, "", gv
		}
		var list struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
				Verbs      []string
			}
		}
		ask(path, &list)
		status := map[string]bool{}
		for _, r := range list.Resources {
			if plural, sub, _ := strings.Cut(r.Name, "/"); sub == "status" {
				status[plural] = true
			}
		}
		for _, r := range list.Resources {
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "get") {
				continue
			}
			kind := rest.Kind{Group: group, Version: version, Kind: r.Kind, Plural: r.Name, Namespaced: r.Namespaced, Status: status[r.Name]}
			kinds[kind.String()] = kind
		}
	}
	return kinds
}
