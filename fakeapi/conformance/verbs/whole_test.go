package verbs

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tideway-go/tideway/fakeapi/conformance"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// three is the way people write a struct for the fields that they read.
type three struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

// two has the methods of the one Kubernetes type that it embeds.
type two struct {
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data"`
}

// own holds everything, by parts of k8s.io/api, and declares that it keeps the rest.
type own struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ObjectMeta `json:"metadata"`
	Spec            corev1.PodSpec    `json:"spec"`
	Rest            map[string]any    `json:",embed"`
}

func refuses[T any](t *testing.T, c *rest.Client, kind string) bool {
	t.Helper()
	k, err := rest.Lookup(kind)
	if err != nil {
		t.Fatal(err)
	}
	v, err := rest.Decode[T]([]byte(`{"kind":"` + kind + `","apiVersion":"` + k.APIVersion() + `","metadata":{"name":"a","namespace":"default"}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = stream.Await(rest.For[T](c, kind).Update(t.Context(), v))
	return err != nil && strings.Contains(err.Error(), "would drop the fields")
}

// The types of k8s.io/api count as whole, and types that borrow from them do not.
func TestWholeTypes(t *testing.T) {
	c := conformance.Fake(t).Client(t)
	for name, refused := range map[string]bool{
		"Pod":         refuses[corev1.Pod](t, c, "Pod"),
		"Secret":      refuses[corev1.Secret](t, c, "Secret"),
		"Deployment":  refuses[appsv1.Deployment](t, c, "Deployment"),
		"Role":        refuses[rbacv1.Role](t, c, "Role"),
		"any kind":    refuses[unstructured.Unstructured](t, c, "ConfigMap"),
		"own":         refuses[own](t, c, "Pod"),
		"three, not ": !refuses[three](t, c, "Pod"),
		"two, not":    !refuses[two](t, c, "ConfigMap"),
		"meta, not":   !refuses[metav1.PartialObjectMetadata](t, c, "ConfigMap"),
	} {
		if refused {
			t.Error(name)
		}
	}
}
