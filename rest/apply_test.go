package rest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

func TestApply(t *testing.T) {
	const conflict = `{"kind":"Status","apiVersion":"v1","status":"Failure","code":409,"reason":"Conflict","message":"Apply failed with 2 conflicts: conflicts with \"kubectl\" using v1:\n- .data.a\nconflicts with \"hpa \\\"x\\\"\" with subresource \"scale\" using v1:\n- .data.b",` +
		`"details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"kubectl\" using v1","field":".data.a"},{"reason":"FieldManagerConflict","message":"conflict with \"hpa \\\"x\\\"\" with subresource \"scale\" using v1","field":".data.b"},{"reason":"Other"}]}}`
	c, s := scripted(t, ok(pod("web", "1")), answer{code: 409, body: conflict}, ok(pod("web", "1")))
	ctx := t.Context()
	pods := rest.For[Pod](c, "Pod").In("default")
	web := &Pod{Metadata: Meta{Name: "web"}}
	if err := errOf(pods.With(rest.CallOptions{FieldManager: "me", Force: true}).Apply(ctx, web)); err != nil {
		t.Error(err)
	}
	mine := pods.With(rest.CallOptions{FieldManager: "mine", FieldValidation: rest.FieldsStrict, DryRun: true})
	err := errOf(mine.Apply(ctx, web))
	refused, is := errors.AsType[*rest.StatusError](err)
	if !is || !errors.Is(err, rest.ErrConflict) {
		t.Fatal(err)
	}
	want := []rest.FieldConflict{
		{Field: ".data.a", Manager: "kubectl", Message: `conflict with "kubectl" using v1`},
		{Field: ".data.b", Manager: `hpa "x"`, Subresource: "scale", Message: `conflict with "hpa \"x\"" with subresource "scale" using v1`},
	}
	if d := cmp.Diff(want, refused.Conflicts()); d != "" {
		t.Error(d)
	}
	if err := errOf(mine.With(rest.CallOptions{Force: true}).Apply(ctx, web)); err != nil {
		t.Error(err)
	}
	const path, apply = "/api/v1/namespaces/default/pods/web", "application/apply-patch+yaml"
	const body = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{}}`
	calls := []call{
		{"PATCH", path + "?fieldManager=me&force=true", apply, body},
		{"PATCH", path + "?dryRun=All&fieldManager=mine&fieldValidation=Strict", apply, body},
		{"PATCH", path + "?dryRun=All&fieldManager=mine&fieldValidation=Strict&force=true", apply, body},
	}
	if d := cmp.Diff(calls, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestBadApply(t *testing.T) {
	c, s := scripted(t)
	ctx := t.Context()
	pods := rest.For[rest.Object](c, "Pod").In("default")
	named := func(metadata map[string]any) *rest.Object { return &rest.Object{"metadata": metadata} }
	for _, test := range []struct {
		obj  *rest.Object
		o    rest.CallOptions
		want string
	}{
		{named(map[string]any{"name": "web"}), rest.CallOptions{}, "rest: apply pods default/web: an apply needs a field manager: set CallOptions.FieldManager"},
		{named(map[string]any{"name": "web"}), rest.CallOptions{FieldManager: "a\n"}, `rest: pods: field manager "a\n" contains an unprintable character`},
		{named(map[string]any{"generateName": "web"}), rest.CallOptions{FieldManager: "a"}, "rest: apply pods default/*: metadata.name is missing"},
		{named(map[string]any{"name": "web", "managedFields": []any{}}), rest.CallOptions{FieldManager: "a"}, "rest: apply pods default/web: metadata.managedFields must not be set"},
		{nil, rest.CallOptions{FieldManager: "a"}, "rest: apply pods default/*: the object is nil"},
	} {
		if _, err := one(t, pods.With(test.o).Apply(ctx, test.obj)); err == nil || err.Error() != test.want || !errors.Is(err, rest.ErrInvalidArgument) {
			t.Errorf("error is\n\t%v, want\n\t%s", err, test.want)
		}
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}
