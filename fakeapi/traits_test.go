package fakeapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// What sets kinds apart, one kind of each sort. Every kind is held against a real server in the
// conformance module.
func TestKindsDiffer(t *testing.T) {
	const (
		priorities = "/apis/scheduling.k8s.io/v1/priorityclasses"
		slices     = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
		drivers    = "/apis/storage.k8s.io/v1/csidrivers"
		schemas    = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
		volumes    = "/api/v1/persistentvolumes"
		nodes      = "/api/v1/nodes"
		events     = "/api/v1/namespaces/default/events"
		jobs       = "/apis/batch/v1/namespaces/default/jobs"
		labelled   = `{"metadata":{"labels":{"a":"b"}}}`
	)
	for name, test := range map[string][]step{
		"a generation that nothing raises": {
			{"POST", priorities, asJSON, `{"metadata":{"name":"a"},"value":7}`, 201, `"generation":1`},
			{"PATCH", priorities + "/a", asMerge, `{"description":"d"}`, 200, `"generation":1`},
		},
		"a generation that labels raise": {
			{"POST", slices, asJSON, `{"metadata":{"name":"a"},"addressType":"IPv4","endpoints":[]}`, 201, `"generation":1`},
			{"PATCH", slices + "/a", asMerge, labelled, 200, `"generation":2`},
			{"PATCH", slices + "/a", asMerge, `{"metadata":{"annotations":{"a":"b"}}}`, 200, `"generation":2`},
		},
		"a generation that begins with the first change": {
			{"POST", drivers, asJSON, `{"metadata":{"name":"a"},"spec":{}}`, 201, `"name":"a"`},
			{"PATCH", drivers + "/a", asMerge, `{"spec":{"requiresRepublish":true}}`, 200, `"generation":1`},
		},
		"a status write that keeps the metadata": {
			{"POST", schemas, asJSON, `{"metadata":{"name":"a","labels":{"a":"a"}},"spec":{"matchingPrecedence":7}}`, 201, `"generation":1`},
			{"PATCH", schemas + "/a/status", asMerge, `{"metadata":{"labels":{"a":"b"}},"status":{"conditions":[{"type":"C"}]}}`, 200, `"labels":{"a":"a"}`},
			{"GET", schemas + "/a", "", "", 200, `"conditions":[{"type":"C"}]`},
		},
		"a finalizer from the beginning": {
			{"POST", volumes, asJSON, `{"metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{}}`, 201, `"finalizers":["example.com/f","kubernetes.io/pv-protection"]`},
		},
		"a new object with its status": {
			{"POST", nodes, asJSON, `{"metadata":{"name":"a"},"status":{"phase":"Running"}}`, 201, `"phase":"Running"`},
		},
		"a deletion without a policy": {
			{"POST", events, asJSON, `{"metadata":{"name":"a","namespace":"default"},"involvedObject":{"namespace":"default"}}`, 201, ""},
			{"DELETE", events + "/a?propagationPolicy=Orphan", "", "", 200, `"status":"Success"`},
			{"POST", jobs, asJSON, `{"metadata":{"name":"a"},"spec":{}}`, 201, ""},
			{"DELETE", jobs + "/a", "", "", 200, `"finalizers":["orphan"]`},
		},
		"fields that are not selected by": {
			{"GET", nodes + "?fieldSelector=metadata.namespace=a", "", "", 400, "field label not supported: metadata.namespace"},
			{"GET", jobs + "?fieldSelector=status.phase=a", "", "", 400, `field label \"status.phase\" not supported for Job`},
			{"GET", priorities + "?fieldSelector=value=7", "", "", 400, `\"value\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"`},
		},
		"subresources that are not implemented": {
			{"GET", "/api/v1/namespaces/default/pods/a/resize", "", "", 501, "pods/resize"},
			{"DELETE", "/api/v1/namespaces/default/pods/a/resize", "", "", 405, ""},
			{"GET", "/api/v1/namespaces/default/finalize", "", "", 405, ""},
			{"GET", "/api/v1/namespaces/default/pods/a/nothing", "", "", 404, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.New(t, fakeapi.Options{})
			for _, step := range test {
				code, body := exchange(t, s, step.method, step.path, step.contentType, step.body)
				if code != step.code || !strings.Contains(body, step.want) {
					t.Errorf("%s %s: %d, want %d with %s: %s", step.method, step.path, code, step.code, step.want, body)
				}
			}
		})
	}
}

// What the test itself stores has no finalizers that it did not ask for.
func TestStoredAsGiven(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{})
	stored, err := s.Create(rest.Object{"kind": "PersistentVolumeClaim", "metadata": map[string]any{"name": "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if f := stored.Slice("metadata", "finalizers"); f != nil {
		t.Errorf("finalizers %v", f)
	}
}

// Answers for a deprecated version say so, if they are about the kind at all.
func TestDeprecated(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		got := map[string]bool{}
		for _, path := range []string{"endpoints", "endpoints/a", "endpoints/a/nothing", "configmaps"} {
			resp := send(t, c, http.MethodGet, "/api/v1/namespaces/default/"+path, "")
			got[path] = resp.Header.Get("Warning") != ""
			if err := resp.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(map[string]bool{"endpoints": true, "endpoints/a": true, "endpoints/a/nothing": false, "configmaps": false}, got); d != "" {
			t.Error(d)
		}
	})
}

// Discovery lists what kube-apiserver lists: subresources that are not implemented, too, and kinds
// that have no objects.
func TestDiscoveryListsAll(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{})
	_, body := exchange(t, s, http.MethodGet, "/api/v1", "", "")
	var list struct {
		Resources []struct {
			Name, Kind, Group string
			ShortNames, Verbs []string
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range list.Resources {
		got[r.Name] = r.Group + " " + r.Kind + " " + strings.Join(append(r.ShortNames, r.Verbs...), ",")
	}
	for name, want := range map[string]string{
		"bindings":            " Binding create",
		"componentstatuses":   " ComponentStatus cs,get,list",
		"namespaces/finalize": " Namespace update",
		"pods/exec":           " PodExecOptions create,get",
		"pods/eviction":       "policy Eviction create",
		"pods/status":         " Pod get,patch,update",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}
