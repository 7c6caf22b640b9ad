package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

const name = "tideway-crud"

// deployment returns a Deployment without replicas.
func deployment() *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "registry.example/app"}}},
			},
		},
	}
}

// change changes a Deployment in every possible way.
func change(ctx context.Context, out io.Writer, deployments rest.Resource[appsv1.Deployment], seen *appsv1.Deployment) error {
	// Modify reads, changes, and tries again if somebody else was faster.
	modified, err := stream.Await(deployments.Modify(ctx, name, func(d *appsv1.Deployment) error {
		d.Labels["by"] = "modify"
		return nil
	}))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "modified", modified.Labels["by"])

	// An update replaces only the version that was read, and seen is out of date by now.
	seen.Labels["by"] = "update"
	if _, err = stream.Await(deployments.Update(ctx, seen)); !errors.Is(err, rest.ErrConflict) {
		return fmt.Errorf("an old version was updated: %w", err)
	}
	var updated *appsv1.Deployment
	for err = rest.ErrConflict; errors.Is(err, rest.ErrConflict); { // a controller may be faster: this is Modify by hand
		if updated, err = stream.Await(deployments.Get(ctx, name)); err != nil {
			return err
		}
		updated.Labels["by"] = "update"
		updated, err = stream.Await(deployments.Update(ctx, updated))
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "updated", updated.Labels["by"])

	// A patch names what changes, whatever the version; null removes a field.
	patched, err := stream.Await(deployments.Patch(ctx, name, rest.MergePatch(map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"by": "patch"}},
	})))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "patched", patched.Labels["by"])

	scale, err := stream.Await(rest.Sub[rest.Scale](deployments, "scale").Patch(ctx, name, rest.ScaleTo(0)))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "scaled to", scale.Spec.Replicas)
	return nil
}
