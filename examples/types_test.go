package examples_test

import (
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// small is a custom type: three fields of a pod.
type small struct {
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Containers []struct {
			Image string `json:"image"`
		} `json:"containers"`
	} `json:"spec"`
}

// Every type works the same way: create, get, list, watch.
func TestTypes(t *testing.T) {
	typed := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "nginx"}}},
	}
	mine := small{}
	mine.Metadata.Name, mine.Metadata.Labels = "web", typed.Labels
	mine.Spec.Containers = append(mine.Spec.Containers, struct {
		Image string `json:"image"`
	}{"nginx"})
	loose := map[string]any{
		"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "nginx"}}},
	}
	run(t, "corev1.Pod", typed, func(p *corev1.Pod) []string {
		return []string{p.Kind, p.Name, p.Labels["app"], p.Spec.Containers[0].Image}
	})
	run(t, "rest.Object", rest.Object(loose), func(o *rest.Object) []string {
		return []string{o.Kind(), o.Name(), o.Labels()["app"], image(*o)}
	})
	run(t, "map", loose, func(m *map[string]any) []string {
		o := rest.Object(*m)
		return []string{o.Kind(), o.Name(), o.Labels()["app"], image(o)}
	})
	run(t, "a custom struct", mine, func(s *small) []string {
		return []string{"Pod", s.Metadata.Name, s.Metadata.Labels["app"], s.Spec.Containers[0].Image}
	})
}

func image(o rest.Object) string {
	containers := o.Slice("spec", "containers")
	return containers[0].(map[string]any)["image"].(string)
}

func run[T any](t *testing.T, name string, object T, read func(*T) []string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := fakeapi.New(t, fakeapi.Options{})
			pods := rest.For[T](server.Client(), "Pod").In("default")
			if name == "a custom struct" { // it lacks the name that a container must have
				_, err := server.Create(rest.Object{
					"apiVersion": "v1", "kind": "Pod",
					"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web"}},
					"spec":     map[string]any{"containers": []any{map[string]any{"name": "c", "image": "nginx"}}},
				})
				if err != nil {
					t.Fatal(err)
				}
			} else if _, err := stream.Await(pods.Create(t.Context(), &object)); err != nil {
				t.Fatal(err)
			}
			want := []string{"Pod", "web", "web", "nginx"}
			got, err := stream.Await(pods.Get(t.Context(), "web"))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, read(got)); d != "" {
				t.Errorf("get: (-want +got)\n%s", d)
			}
			list, err := stream.Await(pods.List(t.Context(), rest.ListOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, read(&list.Items[0])); d != "" {
				t.Errorf("list: (-want +got)\n%s", d)
			}
			ev := <-watch.Events(t.Context(), pods, watch.Options{})
			if d := cmp.Diff(want, read(ev.Object)); d != "" {
				t.Errorf("watch: (-want +got)\n%s", d)
			}
		})
	})
}
