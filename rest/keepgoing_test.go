package rest_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// counted is a type into which some objects do not decode.
type counted struct {
	Metadata rest.ObjectMeta `json:"metadata"`
	Spec     struct {
		Replicas int `json:"replicas"`
	} `json:"spec"`
}

// brokenList has objects of which the second and the third do not decode.
const brokenList = `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"9"},"items":[` +
	`{"metadata":{"name":"a","namespace":"default","resourceVersion":"1"},"spec":{"replicas":1}},` +
	`{"spec":{"replicas":"hunter2"},"metadata":{"namespace":"default","resourceVersion":"2","name":"b"}},` +
	`{"metadata":{"name":"c","namespace":"default","labels":7,"resourceVersion":"3"}},` +
	`{"metadata":{"name":"d","namespace":"default","resourceVersion":"4"}}]}`

// brokenKeys are the keys of those objects.
var brokenKeys = []rest.Key{
	{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "b"},
	{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "c"},
}

// An object that does not decode is named, with the field, and ends the list.
func TestUndecodedObjectEndsAList(t *testing.T) {
	c, _ := scripted(t, ok(brokenList), ok(brokenList))
	all := rest.For[counted](c, "Deployment").In("default")
	got, each := 0, error(nil)
	for r := range all.Each(t.Context(), rest.ListOptions{}) {
		if each != nil {
			t.Error("something follows the error")
		}
		if each = r.Err; each == nil {
			got++
		}
	}
	_, list := one(t, all.List(t.Context(), rest.ListOptions{}))
	if got != 1 {
		t.Errorf("Each sent %d objects, want one", got)
	}
	for _, err := range []error{each, list} {
		bad, ok := errors.AsType[*rest.DecodeError](err)
		if !ok || bad.Key != brokenKeys[0] || bad.ResourceVersion != "2" {
			t.Fatalf("error is %v", err)
		}
		const want = "list deployments.apps default/*: reading the list: items[1]: decode Deployment.apps default/b: "
		if text := err.Error(); !strings.HasPrefix(text, want) || !strings.Contains(text, "spec.replicas") || strings.Contains(text, "hunter2") {
			t.Errorf("error is %s", text)
		}
	}
}

// With KeepGoing, an object that does not decode does not end the list.
func TestKeepGoing(t *testing.T) {
	c, _ := scripted(t, ok(brokenList), ok(brokenList))
	all := rest.For[counted](c, "Deployment").In("default")
	o := rest.ListOptions{KeepGoing: true}
	var came []string
	for r := range all.Each(t.Context(), o) {
		bad, ok := errors.AsType[*rest.DecodeError](r.Err)
		switch {
		case r.Err == nil:
			came = append(came, r.Value.Metadata.Name)
		case !ok || r.Value != nil:
			t.Error(r)
		default:
			came = append(came, "not "+bad.Key.Name)
		}
	}
	if d := cmp.Diff([]string{"a", "not b", "not c", "d"}, came); d != "" {
		t.Error(d)
	}
	list, err := one(t, all.List(t.Context(), o))
	if err != nil {
		t.Fatal(err)
	}
	came = make([]string, 0, len(list.Items))
	for _, item := range list.Items {
		came = append(came, item.Metadata.Name)
	}
	if d := cmp.Diff([]string{"a", "d"}, came); d != "" || list.Meta.ResourceVersion != "9" {
		t.Error(list.Meta, d)
	}
	keys := make([]rest.Key, 0, len(list.Undecoded))
	for _, bad := range list.Undecoded {
		keys = append(keys, bad.Key)
	}
	if d := cmp.Diff(brokenKeys, keys); d != "" {
		t.Error(d)
	}
}

// KeepGoing is about single objects: a list that breaks off, or is not one, still ends with its
// error, and what does not decode is not read again.
func TestKeepGoingIsForObjectsOnly(t *testing.T) {
	o := rest.ListOptions{KeepGoing: true}
	for _, body := range []string{
		brokenList[:len(brokenList)-3], "<html>", "null", strings.Replace(brokenList, `{"metadata":{"name":"d"`, `7,{"metadata":{"name":"d"`, 1),
		strings.Replace(brokenList, `{"metadata":{"name":"d"`, `{"kind":"Pod","metadata":{"name":"d"`, 1),
	} {
		c, s := scripted(t, ok(body), ok(body))
		all := rest.For[counted](c, "Deployment").In("default").With(rest.CallOptions{Retry: stream.Backoff{MaxRetries: stream.NoRetries}})
		var last error
		for r := range all.Each(t.Context(), o) {
			last = r.Err
		}
		_, err := one(t, all.List(t.Context(), o))
		for _, err := range []error{last, err} {
			if _, undecoded := errors.AsType[*rest.DecodeError](err); err == nil || undecoded {
				t.Errorf("%.40s: ended with %v", body, err)
			}
		}
		if n := len(s.requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	}
}

// A list of one page after another keeps what did not decode, and drops it if it starts over.
func TestKeepGoingOverPages(t *testing.T) {
	bad := strings.Replace(brokenList, `"resourceVersion":"9"`, `"resourceVersion":"9","continue":"T"`, 1)
	c, _ := scripted(t, ok(bad), ok(brokenList), ok(bad), refuse(410, rest.ReasonExpired, ""), ok(brokenList))
	all := rest.For[counted](c, "Deployment").In("default")
	for _, want := range []int{4, 2} {
		list, err := one(t, all.List(t.Context(), rest.ListOptions{KeepGoing: true}))
		if err != nil || len(list.Undecoded) != want || len(list.Items) != want {
			t.Errorf("got %+v, %v, want %d", list, err, want)
		}
	}
}
