package rest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const wholePod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","resourceVersion":"7","labels":{"a":"1","b":"2"},"finalizers":["x"]},` +
	`"spec":{"nodeName":"n","restartPolicy":"Always","containers":[{"name":"c","image":"i","tty":true}]},"status":{"phase":"Running"}}`

// Only the difference is sent, for the version that was read.
func TestModify(t *testing.T) {
	c, s := scripted(t, ok(wholePod), ok(pod("web", "8")))
	got, err := one(t, rest.For[Pod](c, "Pod").In("default").Modify(t.Context(), "web", func(p *Pod) error {
		delete(p.Metadata.Labels, "a")
		p.Metadata.Labels["c"] = "3"
		p.Spec.NodeName = ""
		return nil
	}))
	if err != nil || got.Metadata.ResourceVersion != "8" {
		t.Errorf("got %+v, %v", got, err)
	}
	const path = "/api/v1/namespaces/default/pods/web"
	want := []call{
		{"GET", path, "", ""},
		{"PATCH", path, "application/merge-patch+json", `{"metadata":{"labels":{"a":null,"c":"3"},"resourceVersion":"7"},"spec":{"nodeName":""}}`},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}
}

// If nothing changes, nothing is sent. An error of the function ends Modify.
func TestModifyNothing(t *testing.T) {
	c, s := scripted(t, ok(wholePod), ok(wholePod))
	pods := rest.For[Pod](c, "Pod").In("default")
	got, err := one(t, pods.Modify(t.Context(), "web", func(p *Pod) error { p.Spec.NodeName = "n"; return nil }))
	if err != nil || got.Metadata.ResourceVersion != "7" {
		t.Errorf("got %+v, %v", got, err)
	}
	mine := errors.New("mine")
	_, err = one(t, pods.Modify(t.Context(), "web", func(*Pod) error { return mine }))
	if !errors.Is(err, mine) || err.Error() != "modify pods default/web: mine" {
		t.Error(err)
	}
	if _, err = one(t, pods.Modify(t.Context(), "web", nil)); err == nil || err.Error() != "rest: modify pods default/web: the function is nil" {
		t.Error(err)
	}
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d requests were sent, want the two that read", n)
	}
}

// An array keeps the members that the struct does not know.
func TestModifyKeepsArrays(t *testing.T) {
	type container struct {
		Name  string `json:"name"`
		Image string `json:"image"`
	}
	type partial struct {
		Spec struct {
			Containers []container `json:"containers"`
		} `json:"spec"`
	}
	c, s := scripted(t, ok(wholePod), ok(wholePod), ok(pod("web", "8")))
	_, err := one(t, rest.For[partial](c, "Pod").In("default").Modify(t.Context(), "web", func(p *partial) error {
		p.Spec.Containers[0].Image = "j"
		return nil
	}))
	if err == nil || err.Error() != "modify pods default/web: .spec.containers would lose fields that its type does not have; use a patch, or rest.Object" || !errors.Is(err, rest.ErrInvalidArgument) {
		t.Error(err)
	}
	_, err = one(t, rest.For[rest.Object](c, "Pod").In("default").Modify(t.Context(), "web", func(p *rest.Object) error {
		p.Slice("spec", "containers")[0].(map[string]any)["image"] = "j"
		p.Map("spec")["restartPolicy"] = nil
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"metadata":{"resourceVersion":"7"},"spec":{"containers":[{"image":"j","name":"c","tty":true}],"restartPolicy":null}}`
	if got := s.requests()[2].Body; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestModifyConflicts(t *testing.T) {
	conflict := refuse(409, rest.ReasonConflict, "the object has been modified")
	set := func(p *Pod) error { p.Spec.NodeName += "x"; return nil } //nolint:unparam // the type that Modify accepts
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{t: t, answers: []answer{ok(wholePod), conflict, ok(pod("web", "9")), ok(pod("web", "10"))}}
			c, stop := inMemory(t, s, kubeconfig.Config{}, rest.Options{})
			defer stop()
			if _, err := one(t, rest.For[Pod](c, "Pod").In("default").Modify(t.Context(), "web", set)); err != nil {
				t.Fatal(err)
			}
			if got, want := s.requests()[3].Body, `{"metadata":{"resourceVersion":"9"},"spec":{"nodeName":"x"}}`; got != want {
				t.Errorf("sent %s, want %s", got, want)
			}
		})
	})
	t.Run("always", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &script{t: t}
			for range 6 {
				s.answers = append(s.answers, ok(wholePod), conflict)
			}
			c, stop := inMemory(t, s, kubeconfig.Config{}, rest.Options{})
			defer stop()
			start, calls := time.Now(), 0
			_, err := one(t, rest.For[Pod](c, "Pod").In("default").Modify(t.Context(), "web", func(p *Pod) error { calls++; return set(p) }))
			if !errors.Is(err, rest.ErrConflict) || err.Error() != "modify pods default/web: conflict (409): the object has been modified (after 5 retries)" {
				t.Error(err)
			}
			if d := time.Since(start); calls != 6 || d < 200*time.Millisecond || d > 400*time.Millisecond {
				t.Errorf("%d calls in %v", calls, d)
			}
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, stop := inMemory(t, &script{t: t, answers: []answer{ok(wholePod), conflict}}, kubeconfig.Config{}, rest.Options{})
			defer stop()
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := one(t, rest.For[Pod](c, "Pod").In("default").Modify(ctx, "web", set)); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	})
}

// A change of the status must go through the subresource: servers drop it otherwise.
func TestModifyStatus(t *testing.T) {
	type job struct {
		Metadata Meta `json:"metadata"`
		Spec     struct {
			NodeName string `json:"nodeName,omitempty"`
		} `json:"spec"`
		Status struct {
			Phase string `json:"phase,omitempty"`
		} `json:"status"`
	}
	failed := func(j *job) error { j.Status.Phase = "Failed"; return nil }
	widget := rest.Kind{Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets", Namespaced: true}
	const path = "/api/v1/namespaces/default/pods/web"
	done := strings.Replace(wholePod, "Running", "Failed", 1)

	c, s := scripted(t, ok(wholePod), ok(wholePod), ok(done), ok(wholePod))
	pods := rest.For[job](c, "Pod").In("default")
	const refused = "modify pods default/web: the status is a subresource and would not change: use ModifyStatus"
	if _, err := one(t, pods.Modify(t.Context(), "web", failed)); errText(err) != refused || !errors.Is(err, rest.ErrInvalidArgument) {
		t.Error(err)
	}
	if got, err := one(t, pods.ModifyStatus(t.Context(), "web", failed)); err != nil || got.Status.Phase != "Failed" {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err := one(t, pods.ModifyStatus(t.Context(), "web", func(j *job) error { j.Spec.NodeName = "m"; return failed(j) }))
	if errText(err) != "modify pods default/web: spec is not part of the status: use Modify" || !errors.Is(err, rest.ErrInvalidArgument) {
		t.Error(err)
	}
	want := []call{
		{"GET", path, "", ""},
		{"GET", path, "", ""},
		{"PATCH", path + "/status", "application/merge-patch+json", `{"metadata":{"resourceVersion":"7"},"status":{"phase":"Failed"}}`},
		{"GET", path, "", ""},
	}
	if d := cmp.Diff(want, s.requests()); d != "" {
		t.Error(d)
	}

	// A descriptor does not say whether the kind has the subresource: only the answer shows it.
	c, _ = scripted(t, ok(wholeWidget("Running")), ok(wholeWidget("Running")), ok(wholeWidget("Running")), ok(wholeWidget("Failed")))
	widgets := rest.ForKind[job](c, widget).In("default")
	if _, err := one(t, widgets.Modify(t.Context(), "web", failed)); err == nil || !strings.Contains(err.Error(), "use ModifyStatus") {
		t.Error(err)
	}
	if got, err := one(t, widgets.Modify(t.Context(), "web", failed)); err != nil || got.Status.Phase != "Failed" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func wholeWidget(phase string) string {
	return `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"web","namespace":"default","resourceVersion":"7"},"status":{"phase":"` + phase + `"}}`
}
