package fakeapi_test

import (
	stdmaps "maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// givenMeta is metadata with everything that a server usually sets.
func givenMeta(name, version string) map[string]any {
	return map[string]any{
		"name": name, "namespace": "default", "uid": "my-uid-" + name, "creationTimestamp": "2020-01-02T03:04:05Z", "resourceVersion": version,
		"generation": int64(7), "deletionTimestamp": "2021-01-02T03:04:05Z", "deletionGracePeriodSeconds": int64(5),
		"finalizers": []any{"example.org/a"}, "selfLink": "/mine",
		"managedFields": []any{map[string]any{"manager": "me", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": map[string]any{}}},
	}
}

func TestObjectsAreStoredAsGiven(t *testing.T) {
	for _, version := range []string{"5", "1000", "123456789"} {
		for kind, apiVersion := range map[string]string{"ConfigMap": "v1", "Deployment": "apps/v1", "Pod": "v1"} {
			want := givenMeta("a", version)
			s := fakeapi.New(t, fakeapi.Options{Objects: []any{
				rest.Object{"apiVersion": apiVersion, "kind": kind, "metadata": stdmaps.Clone(want)}, configMap("default", "later"),
			}})
			if diff := cmp.Diff(want, must(s.Get(kind, "default", "a"))(t).Map("metadata")); diff != "" {
				t.Errorf("%s at %s: %s", kind, version, diff)
			}
			if got := must(s.Get("ConfigMap", "default", "later"))(t); got.ResourceVersion() == version {
				t.Errorf("two objects have version %s", version)
			}
			delete(want, "resourceVersion")
			patched := must(s.Merge(kind, "default", "a", `{"metadata":{"labels":{"x":"y"}}}`))(t).Map("metadata")
			delete(patched, "resourceVersion")
			delete(patched, "labels")
			delete(want, "selfLink") // the storage drops it with each update
			if diff := cmp.Diff(want, patched); diff != "" {
				t.Errorf("%s at %s after a change: %s", kind, version, diff)
			}
		}
	}
}

func TestCreateAndUpdateStoreAsGiven(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{})
	want := givenMeta("a", "50000")
	created := must(s.Create(rest.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": stdmaps.Clone(want)}))(t)
	if diff := cmp.Diff(want, created.Map("metadata")); diff != "" {
		t.Error(diff)
	}
	if got := s.ResourceVersion(); got != "50000" {
		t.Errorf("the newest version is %s", got)
	}
	want["creationTimestamp"], want["generation"], want["managedFields"] = "2022-02-03T04:05:06Z", int64(9), []any{}
	updated := must(s.Update(rest.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": stdmaps.Clone(want)}))(t).Map("metadata")
	want["resourceVersion"] = "50001"
	delete(want, "selfLink")
	if diff := cmp.Diff(want, updated); diff != "" {
		t.Error(diff)
	}
}

// What cannot be stored as it is given is refused, and the error says why.
func TestWhatCannotBeStoredIsRefused(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{Objects: []any{configMap("default", "there")}})
	set := func(pairs ...any) rest.Object {
		o := configMap("default", "a")
		for i := 0; i < len(pairs); i += 2 {
			o.Map("metadata")[pairs[i].(string)] = pairs[i+1]
		}
		return o
	}
	for want, o := range map[string]rest.Object{
		"without them it would be gone":                      set("deletionTimestamp", "2021-01-02T03:04:05Z"),
		`Invalid value: "x": a version is`:                   set("resourceVersion", "x"),
		`Invalid value: "0": a version is`:                   set("resourceVersion", "0"),
		`Invalid value: "5": versions only grow`:             set("resourceVersion", "5"),
		`Invalid value: "9999999999999999999": a version is`: set("resourceVersion", "9999999999999999999"),
		`parsing time "yesterday"`:                           set("creationTimestamp", "yesterday"),
		"cannot unmarshal number into Go struct field":       set("uid", 7),
		"metadata.labels: Invalid value":                     set("labels", map[string]any{"a b": "c"}),
	} {
		if _, err := s.Create(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("create: got %v, want %s", err, want)
		}
	}
	there := must(s.Get("ConfigMap", "default", "there"))(t)
	for name, v := range map[string]any{"uid": "other", "deletionTimestamp": "2021-01-02T03:04:05Z", "resourceVersion": "1"} {
		o := configMap("default", "there")
		stdmaps.Copy(o.Map("metadata"), there.Map("metadata"))
		o.Map("metadata")[name] = v
		if _, err := s.Update(o); err == nil {
			t.Errorf("an update of %s is not refused", name)
		}
	}
}
