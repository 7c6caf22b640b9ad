package examples_test

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

func added[T any](kind string, object T) watch.Event[T] {
	return watch.Event[T]{Type: watch.Added, Key: rest.Key{Kind: kind, Namespace: "default", Name: "web"}, Object: &object}
}

// The conditions read the types of k8s.io/api, which leave out what is zero.
func TestConditionsOfKubernetesTypes(t *testing.T) {
	replicas := int32(3)
	deployment := appsv1.Deployment{
		Spec:   appsv1.DeploymentSpec{Replicas: &replicas},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3},
	}
	deployment.Generation = 2
	pod := corev1.Pod{Status: corev1.PodStatus{
		Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
	}}
	job := batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "DeadlineExceeded"}}}}
	sts := appsv1.StatefulSet{
		Spec:   appsv1.StatefulSetSpec{Replicas: &replicas},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, ReadyReplicas: 3, CurrentRevision: "a", UpdateRevision: "a"},
	}
	ds := appsv1.DaemonSet{Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2}}
	for name, answer := range map[string]watch.Answer{
		"pod":           watch.PodReady(added("Pod", pod)),
		"condition":     watch.HasCondition[corev1.Pod]("Ready", "True")(added("Pod", pod)),
		"phase":         watch.FieldIs[corev1.Pod](corev1.PodRunning, "status", "phase")(added("Pod", pod)),
		"zero":          watch.FieldIs[corev1.Pod](0, "spec", "priority")(added("Pod", pod)),
		"number":        watch.FieldIs[appsv1.Deployment](3, "status", "replicas")(added("Deployment", deployment)),
		"deployment":    watch.RolledOut(added("Deployment", deployment)),
		"StatefulSet":   watch.RolledOut(added("StatefulSet", sts)),
		"DaemonSet":     watch.RolledOut(added("DaemonSet", ds)),
		"failed job":    watch.Not(watch.JobComplete[batchv1.Job])(added("Job", job)),
		"when it is so": watch.When(func(p *corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning })(added("Pod", pod)),
	} {
		if !answer.Met {
			t.Errorf("%s: %+v", name, answer)
		}
	}
	for name, answer := range map[string]watch.Answer{
		"no such field": watch.FieldIs[corev1.Pod]("x", "status", "faze")(added("Pod", pod)),
		"another type":  watch.RolledOut(added("Deployment", pod)),
	} {
		if !errors.Is(answer.Never, rest.ErrInvalidArgument) {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}
