package rest_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

const scaleJSON = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","namespace":"default","resourceVersion":"7"},"spec":{},"status":{"replicas":2,"selector":"app=web"}}`

func TestScale(t *testing.T) {
	c, s := scripted(t, ok(scaleJSON), ok(scaleJSON), ok(scaleJSON), ok(scaleJSON))
	scales := rest.Sub[rest.Scale](rest.For[Pod](c, "Deployment").In("default"), "scale")
	ctx := t.Context()
	scale, err := one(t, scales.Get(ctx, "web"))
	if err != nil || scale.Spec.Replicas != 0 || scale.Status.Replicas != 2 || scale.Status.Selector != "app=web" {
		t.Fatalf("got %+v, %v", scale, err)
	}
	scale.Spec.Replicas = 3
	for _, in := range []func() <-chan stream.Result[*rest.Scale]{
		func() <-chan stream.Result[*rest.Scale] { return scales.Update(ctx, scale) },
		func() <-chan stream.Result[*rest.Scale] { return scales.Patch(ctx, "web", rest.ScaleTo(0)) },
		func() <-chan stream.Result[*rest.Scale] {
			return scales.Patch(ctx, "web", rest.NewPatch(`{"spec":{"replicas":4}}`))
		},
	} {
		if err := errOf(in()); err != nil {
			t.Error(err)
		}
	}
	const path, merge = "/apis/apps/v1/namespaces/default/deployments/web/scale", "application/merge-patch+json"
	want := []call{
		{"GET", path, "", ""},
		{"PUT", path, "application/json", `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","namespace":"default","resourceVersion":"7"},"spec":{"replicas":3},"status":{"replicas":2,"selector":"app=web"}}`},
		{"PATCH", path, merge, `{"spec":{"replicas":0}}`},
		{"PATCH", path, merge, `{"spec":{"replicas":4}}`},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestUpdateStatus(t *testing.T) {
	c, s := scripted(t, ok(pod("web", "8")), refuse(409, rest.ReasonConflict, "the object has been modified"))
	pods := rest.For[rest.Object](c, "Pod").In("default")
	ctx := t.Context()
	web := pods.New("web")
	if err := errOf(pods.UpdateStatus(ctx, web)); err == nil || err.Error() != "rest: update pods/status default/web: metadata.resourceVersion is missing" {
		t.Error(err)
	}
	if err := errOf(rest.For[Pod](c, "Pod").In("default").UpdateStatus(ctx, &Pod{Metadata: Meta{Name: "web", ResourceVersion: "7"}})); err == nil {
		t.Error("a struct that drops members was sent")
	}
	(*web)["metadata"].(map[string]any)["resourceVersion"] = "7"
	if err := errOf(pods.UpdateStatus(ctx, web)); err != nil {
		t.Error(err)
	}
	err := errOf(pods.UpdateStatus(ctx, web))
	if !errors.Is(err, rest.ErrConflict) || err.Error() != "update pods/status default/web: conflict (409): the object has been modified" {
		t.Error(err)
	}
	sent := call{"PUT", "/api/v1/namespaces/default/pods/web/status", "application/json", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default","resourceVersion":"7"}}`}
	if d := cmp.Diff([]call{sent, sent}, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestCreateOfSubresource(t *testing.T) {
	const success = `{"kind":"Status","apiVersion":"v1","status":"Success","code":201}`
	c, s := scripted(t, ok(success), ok(`{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"x"}}`), ok(`{"any":1}`))
	ctx := t.Context()
	named := func(name string) *rest.Object { return &rest.Object{"metadata": map[string]any{"name": name}} }
	pods := rest.For[Pod](c, "Pod").In("default")
	bound, err := one(t, rest.Sub[rest.Object](pods, "binding").Create(ctx, named("web")))
	if err != nil || bound.Kind() != "Binding" || bound.Name() != "web" {
		t.Errorf("got %v, %v", bound, err)
	}
	token, err := one(t, rest.Sub[rest.Object](rest.For[Pod](c, "ServiceAccount").In("default"), "token").Create(ctx, named("sa")))
	if err != nil || token.String("status", "token") != "x" {
		t.Errorf("got %v, %v", token, err)
	}
	other, err := one(t, rest.Sub[rest.Object](rest.ForKind[Pod](c, widget).In("default"), "run").Create(ctx, named("w")))
	if err != nil || other.Kind() != "" || other.Int("any") != 1 {
		t.Errorf("got %v, %v", other, err)
	}
	want := []call{
		{"POST", "/api/v1/namespaces/default/pods/web/binding", "application/json", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"web"}}`},
		{"POST", "/api/v1/namespaces/default/serviceaccounts/sa/token", "application/json", `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","metadata":{"name":"sa"}}`},
		{"POST", "/apis/example.com/v1/namespaces/default/widgets/w/run", "application/json", `{"metadata":{"name":"w"}}`},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestBadSubresources(t *testing.T) {
	c, s := scripted(t)
	ctx := t.Context()
	pods := rest.For[Pod](c, "Pod").In("default")
	status := rest.Sub[Pod](pods, "status")
	scales := rest.Sub[rest.Scale](pods, "scale")
	for _, test := range []struct {
		err  error
		want string
	}{
		{errOf(rest.Sub[Pod](pods, "a/b").Get(ctx, "web")), `rest: pods: subresource "a/b" contains '/' or '%'`},
		{errOf(rest.Sub[Pod](status, "scale").Get(ctx, "web")), "rest: pods/status has no subresource scale"},
		{errOf(rest.Sub[int](pods, "scale").Get(ctx, "web")), "rest: pods/scale: int cannot hold an object: use a struct with json tags, rest.Object, or a map with string keys"},
		{errOf(status.List(ctx, rest.ListOptions{})), "rest: list pods/status default/*: a subresource has only get, create, update, patch and apply"},
		{errOf(status.Each(ctx, rest.ListOptions{})), "rest: list pods/status default/*: a subresource has only get, create, update, patch and apply"},
		{errOf(status.Delete(ctx, "web", rest.DeleteOptions{})), "rest: delete pods/status default/*: a subresource has only get, create, update, patch and apply"},
		{errOf(status.DeleteAll(ctx, rest.ListOptions{}, rest.DeleteOptions{})), "rest: delete pods/status default/*: a subresource has only get, create, update, patch and apply"},
		{errOf(scales.Create(ctx, &rest.Scale{Kind: "Pod", Metadata: rest.ObjectMeta{Name: "web"}})), `rest: create pods/scale default/web: the object is of kind "Pod", the resource of kind "Scale"`},
		{errOf(scales.Create(ctx, &rest.Scale{})), "rest: create pods/scale default/*: name is empty"},
		{errOf(rest.Evict(ctx, pods, "", rest.DeleteOptions{})), "rest: evict pods/eviction default/*: name is empty"},
		{errOf(rest.Evict(ctx, pods, "web", rest.DeleteOptions{Propagation: "x"})), `rest: evict pods/eviction default/web: propagation policy "x" is not one of Background, Foreground, Orphan`},
	} {
		if test.err == nil || test.err.Error() != test.want {
			t.Errorf("error is\n\t%v, want\n\t%s", test.err, test.want)
		}
	}
	if n := len(s.requests()); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestEvict(t *testing.T) {
	const blocked = `{"kind":"Status","apiVersion":"v1","status":"Failure","code":429,"reason":"TooManyRequests","message":"Cannot evict pod as it would violate the pod's disruption budget.","details":{"retryAfterSeconds":10,"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web needs 2 healthy pods and has 2 currently"}]}}`
	c, s := scripted(t,
		answer{code: 201, body: `{"kind":"Status","apiVersion":"v1","status":"Success","code":201}`},
		answer{code: 429, body: blocked, header: map[string]string{"Retry-After": "10"}},
		answer{code: 201, body: `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"message":"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}`})
	ctx := t.Context()
	pods := rest.For[Pod](c, "Pod").In("default").With(rest.CallOptions{DryRun: true, Retry: stream.Backoff{MaxRetries: 3, Initial: -1}})
	done, err := one(t, rest.Evict(ctx, pods, "web", rest.DeleteOptions{UID: "u"}))
	if err != nil || done.Status != rest.StatusSuccess {
		t.Errorf("got %+v, %v", done, err)
	}
	err = errOf(rest.Evict(ctx, pods, "web", rest.DeleteOptions{}))
	if !errors.Is(err, rest.ErrDisruptionBudget) || !errors.Is(err, rest.ErrTooManyRequests) {
		t.Errorf("a budget's refusal is %v", err)
	}
	if refused, ok := errors.AsType[*rest.StatusError](err); !ok || refused.RetryAfter().Seconds() != 10 {
		t.Errorf("it does not say when to come again: %v", err)
	}
	err = errOf(rest.Evict(ctx, pods, "web", rest.DeleteOptions{}))
	const want = "evict pods/eviction default/web: internal error (500): This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
	if err == nil || err.Error() != want || errors.Is(err, rest.ErrDisruptionBudget) {
		t.Errorf("error is\n\t%v, want\n\t%s", err, want)
	}
	first := call{"POST", "/api/v1/namespaces/default/pods/web/eviction?dryRun=All", "application/json", `{"apiVersion":"policy/v1","deleteOptions":{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"},"dryRun":["All"]},"kind":"Eviction","metadata":{"name":"web","namespace":"default"}}`}
	if len(s.requests()) != 3 {
		t.Fatalf("%d requests", len(s.requests()))
	}
	if d := cmp.Diff(first, s.requests()[0]); d != "" {
		t.Error(d)
	}
}
