// Package verbs runs patches, subresources, applies and options for calls against both servers.
package verbs

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// await fails the test if the verb did.
func await[T any](t *testing.T, verb string, answer <-chan stream.Result[T]) T {
	t.Helper()
	v, err := stream.Await(answer)
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
	return v
}

// in returns a kind in a namespace of the test's own.
func in(t *testing.T, s conformance.Server, namespace, kind string) rest.Resource[rest.Object] {
	t.Helper()
	client := s.Client(t)
	spaces := rest.For[rest.Object](client, "Namespace")
	await(t, "namespace", spaces.Create(t.Context(), spaces.New(namespace)))
	return rest.For[rest.Object](client, kind).In(namespace)
}

func object(name string, more map[string]any) *rest.Object {
	o := rest.Object{"metadata": map[string]any{"name": name}}
	maps.Copy(o, more)
	return &o
}

func data(kv ...string) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return map[string]any{"data": m}
}

func TestPatches(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, "verbs-patches", "ConfigMap"), t.Context()
		created := await(t, "create", r.Create(ctx, object("a", data("x", "1", "y", "2"))))
		await(t, "strategic", r.Patch(ctx, "a", rest.NewPatch(`{"data":{"x":null}}`)))
		await(t, "json", r.PatchObject(ctx, created, rest.JSONPatch([]any{map[string]any{"op": "add", "path": "/data/z", "value": "3"}})))
		got := await(t, "merge", r.Patch(ctx, "a", rest.MergePatch(map[string]any{"data": map[string]any{"y": "4"}})))
		if d := cmp.Diff(map[string]any{"y": "4", "z": "3"}, got.Map("data")); d != "" {
			t.Error(d)
		}
		_, err := stream.Await(r.Patch(ctx, "a", rest.JSONPatch(`[{"op":"test","path":"/data/y","value":"5"}]`)))
		if !errors.Is(err, rest.ErrInvalid) {
			t.Errorf("a test that fails: %v", err)
		}
	})
}

func TestScaleAndStatus(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, "verbs-scale", "Deployment"), t.Context()
		labels := map[string]any{"app": "web"}
		created := await(t, "create", r.Create(ctx, object("web", map[string]any{"spec": map[string]any{
			"replicas": 2, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}},
			},
		}})))
		scales := rest.Sub[rest.Scale](r, "scale")
		scale := await(t, "get scale", scales.Get(ctx, "web"))
		if scale.Spec.Replicas != 2 || scale.Status.Selector != "app=web" || scale.Kind != "Scale" {
			t.Errorf("got %+v", scale)
		}
		scale.Spec.Replicas = 3
		await(t, "update scale", scales.Update(ctx, scale))
		if scale = await(t, "patch scale", scales.Patch(ctx, "web", rest.ScaleTo(0))); scale.Spec.Replicas != 0 {
			t.Errorf("got %+v", scale)
		}
		_, err := stream.Await(r.UpdateStatus(ctx, created))
		if !errors.Is(err, rest.ErrConflict) {
			t.Errorf("a stale status: %v", err)
		}
		got := await(t, "patch status", r.PatchStatus(ctx, "web", rest.NewPatch(`{"status":{"replicas":7},"spec":{"replicas":9}}`)))
		if got.Int("status", "replicas") != 7 || got.Int("spec", "replicas") != 0 {
			t.Errorf("got %v", got)
		}
		(*got)["status"].(map[string]any)["replicas"] = 8
		if got = await(t, "update status", r.UpdateStatus(ctx, got)); got.Int("status", "replicas") != 8 {
			t.Errorf("got %v", got)
		}
	})
}

func TestModify(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, "verbs-modify", "ConfigMap"), t.Context()
		await(t, "create", r.Create(ctx, object("a", data("x", "1", "y", "2"))))
		type labelled struct {
			Metadata struct {
				Labels map[string]string `json:"labels,omitempty"`
			} `json:"metadata"`
		}
		some := rest.For[labelled](r.Endpoint().Client(), "ConfigMap").In("verbs-modify")
		calls := 0
		await(t, "modify", some.Modify(ctx, "a", func(l *labelled) error {
			if calls++; calls == 1 { // somebody else is faster
				await(t, "patch", r.Patch(ctx, "a", rest.MergePatch(data("x", "3"))))
			}
			l.Metadata.Labels = map[string]string{"a": "b"}
			return nil
		}))
		got := await(t, "get", r.Get(ctx, "a"))
		if calls != 2 || got.String("data", "x") != "3" || got.String("data", "y") != "2" || got.Labels()["a"] != "b" {
			t.Errorf("after %d calls: %v", calls, got)
		}
	})
}

func TestOptions(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, "verbs-options", "ConfigMap"), t.Context()
		dry := r.With(rest.CallOptions{DryRun: true})
		if got := await(t, "dry create", dry.Create(ctx, object("a", nil))); got.UID() == "" {
			t.Errorf("got %v", got)
		}
		if _, err := stream.Await(r.Get(ctx, "a")); !errors.Is(err, rest.ErrNotFound) {
			t.Errorf("after a dry run: %v", err)
		}
		created := await(t, "create", r.With(rest.CallOptions{FieldManager: "me"}).Create(ctx, object("a", data("x", "1"))))
		await(t, "dry delete", dry.Delete(ctx, "a", rest.DeleteOptions{Propagation: rest.Background}))
		await(t, "patch", r.Patch(ctx, "a", rest.MergePatch(data("x", "2"))))
		if _, err := stream.Await(r.DeleteObject(ctx, created, rest.DeleteOptions{Unchanged: true})); !errors.Is(err, rest.ErrConflict) {
			t.Errorf("delete of what was changed: %v", err)
		}
		await(t, "delete of the same", r.DeleteObject(ctx, created, rest.DeleteOptions{}))
		warnings := make(chan rest.Warning, 8)
		typo := object("b", map[string]any{"daata": map[string]any{}})
		_, err := stream.Await(r.With(rest.CallOptions{FieldValidation: rest.FieldsStrict}).Create(ctx, typo))
		if !errors.Is(err, rest.ErrBadRequest) || !strings.Contains(err.Error(), "daata") {
			t.Errorf("strict: %v", err)
		}
		await(t, "warned", r.With(rest.CallOptions{Warnings: warnings}).Create(ctx, typo))
		select {
		case w := <-warnings:
			if w.Code != 299 || w.Op != "create" || w.Object != "verbs-options/b" || !strings.Contains(w.Text, "daata") {
				t.Errorf("got %+v", w)
			}
		default:
			t.Error("no warning came")
		}
	})
}

func TestMetadataOnly(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, "verbs-metadata", "ConfigMap"), t.Context()
		created := await(t, "create", r.Create(ctx, object("a", data("x", "1"))))
		m := rest.MetadataOnly(r)
		got := await(t, "get", m.Get(ctx, "a"))
		if got.Kind != "ConfigMap" || got.APIVersion != "v1" || got.Metadata.UID != created.UID() || got.Metadata.CreationTimestamp.IsZero() {
			t.Errorf("got %+v", got)
		}
		list := await(t, "list", m.List(ctx, rest.ListOptions{FieldSelector: "metadata.name=a"}))
		if len(list.Items) != 1 || list.Items[0].Kind != "ConfigMap" || list.Meta.ResourceVersion == "" {
			t.Errorf("got %+v", list)
		}
		all := await(t, "delete all", r.DeleteAll(ctx, rest.ListOptions{FieldSelector: "metadata.name=a"}, rest.DeleteOptions{}))
		if len(all.Items)+len(all.Status.Status) == 0 {
			t.Errorf("got %+v", all)
		}
		if _, err := stream.Await(m.Get(ctx, "a")); !errors.Is(err, rest.ErrNotFound) {
			t.Errorf("after the deletion of all: %v", err)
		}
	})
}

// fakeapi refuses applies.
func TestApply(t *testing.T) {
	if conformance.Off() {
		t.Skip("there is no real server")
	}
	s := conformance.Real(t)
	r, ctx := in(t, s, "verbs-apply", "ConfigMap"), t.Context()
	one := r.With(rest.CallOptions{FieldManager: "one"})
	await(t, "apply", one.Apply(ctx, object("a", data("x", "1", "y", "1"))))
	two := r.With(rest.CallOptions{FieldManager: "two"})
	_, err := stream.Await(two.Apply(ctx, object("a", data("x", "2"))))
	refused, ok := errors.AsType[*rest.StatusError](err)
	if !ok || !errors.Is(err, rest.ErrConflict) {
		t.Fatal(err)
	}
	want := []rest.FieldConflict{{Field: ".data.x", Manager: "one"}}
	got := refused.Conflicts()
	if len(got) == 1 {
		got[0].Message = ""
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	await(t, "forced", two.With(rest.CallOptions{Force: true}).Apply(ctx, object("a", data("x", "2"))))
	text := jsontext.Value(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"3"}}`)
	await(t, "as text", rest.For[jsontext.Value](r.Endpoint().Client(), "ConfigMap").In("verbs-apply").With(rest.CallOptions{FieldManager: "two"}).Apply(ctx, &text))
	left := await(t, "fewer fields", one.Apply(ctx, object("a", nil)))
	if d := cmp.Diff(map[string]any{"x": "3"}, left.Map("data")); d != "" {
		t.Error(d)
	}
}

func TestEvict(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		r, ctx := in(t, s, "verbs-evict", "Pod"), t.Context()
		await(t, "service account", rest.For[rest.Object](r.Endpoint().Client(), "ServiceAccount").In("verbs-evict").Create(ctx, object("default", nil)))
		pod := object("web", map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}})
		await(t, "create", r.Create(ctx, pod))
		if got := await(t, "dry evict", rest.Evict(ctx, r.With(rest.CallOptions{DryRun: true}), "web", rest.DeleteOptions{})); got.Status != rest.StatusSuccess {
			t.Errorf("got %+v", got)
		}
		await(t, "get", r.Get(ctx, "web"))
		if _, err := stream.Await(rest.Evict(ctx, r, "none", rest.DeleteOptions{})); !errors.Is(err, rest.ErrNotFound) {
			t.Errorf("of nothing: %v", err)
		}
		if got := await(t, "evict", rest.Evict(ctx, r, "web", rest.DeleteOptions{})); got.Status != rest.StatusSuccess {
			t.Errorf("got %+v", got)
		}
	})
}

// What budgets say of an eviction is told apart: not now, and not at all.
func TestEvictWithBudgets(t *testing.T) {
	conformance.Both(t, func(t *testing.T, s conformance.Server) {
		const namespace = "verbs-budgets"
		r, ctx := in(t, s, namespace, "Pod"), t.Context()
		pod := object("web", map[string]any{"spec": map[string]any{"nodeName": "n1", "containers": []any{map[string]any{"name": "c", "image": "i"}}}})
		(*pod)["metadata"] = map[string]any{"name": "web", "labels": map[string]any{"app": "web"}}
		await(t, "create", r.Create(ctx, pod))
		await(t, "status", r.PatchStatus(ctx, "web", rest.MergePatch(map[string]any{"status": map[string]any{
			"phase": "Running", "conditions": []any{map[string]any{"type": "Ready", "status": "True"}},
		}})))
		budgets := rest.For[rest.Object](r.Endpoint().Client(), "PodDisruptionBudget").In(namespace)
		spec := map[string]any{"spec": map[string]any{"minAvailable": 1, "selector": map[string]any{"matchLabels": map[string]any{"app": "web"}}}}
		await(t, "budget", budgets.Create(ctx, object("one", spec)))
		evict := func() error {
			_, err := stream.Await(rest.Evict(ctx, r, "web", rest.DeleteOptions{}))
			return err
		}
		var refused *rest.StatusError
		if err := evict(); !errors.Is(err, rest.ErrDisruptionBudget) || !errors.As(err, &refused) || refused.RetryAfter() != 10*time.Second {
			t.Errorf("while nobody has looked at the budget: %v", err)
		}
		allowed := func(n int) {
			await(t, "status of the budget", budgets.PatchStatus(ctx, "one", rest.MergePatch(map[string]any{"status": map[string]any{
				"observedGeneration": 1, "disruptionsAllowed": n, "currentHealthy": 1 + n, "desiredHealthy": 1, "expectedPods": 2,
			}})))
		}
		allowed(0)
		if err := evict(); !errors.Is(err, rest.ErrDisruptionBudget) || !errors.Is(err, rest.ErrTooManyRequests) || !errors.As(err, &refused) || refused.RetryAfter() != 0 {
			t.Errorf("of the last one: %v", err)
		}
		await(t, "get", r.Get(ctx, "web"))
		await(t, "another budget", budgets.Create(ctx, object("two", spec)))
		if err := evict(); err == nil || errors.Is(err, rest.ErrDisruptionBudget) || !errors.Is(err, rest.ErrInternal) {
			t.Errorf("with two budgets: %v", err)
		}
		await(t, "no other budget", budgets.Delete(ctx, "two", rest.DeleteOptions{}))
		allowed(1)
		if err := evict(); err != nil {
			t.Errorf("while there is another one: %v", err)
		}
	})
}
