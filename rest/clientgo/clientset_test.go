package clientgo_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/tideway-go/tideway/fakeapi"
)

// clientset makes a clientset of client-go whose connections are closed at the end of the test.
func clientset(t *testing.T, o fakeapi.Options) (*fakeapi.Server, *kubernetes.Clientset) {
	t.Helper()
	server, cfg := listen(t, o)
	cfg.ContentType = "application/json" // fakeapi reads no protobuf, which clientsets send by default
	connect(t, cfg)                      // the same configuration shares its connections, which are closed at the end
	set, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return server, set
}

// client-go's clientset works against fakeapi.
func TestClientset(t *testing.T) {
	_, set := clientset(t, fakeapi.Options{})
	maps := set.CoreV1().ConfigMaps("default")
	list, err := maps.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}
	created, err := maps.Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	created.Data["k"] = "w"
	if _, err = maps.Update(t.Context(), created, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err = maps.Update(t.Context(), created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("the same update again: %v", err)
	}
	if _, err = maps.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"data":{"k":"x"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(t.Context(), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the deletion: %v", err)
	}
	if _, err = maps.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	type change struct {
		Type apiwatch.EventType
		K    string
	}
	want := []change{
		{apiwatch.Added, "v"},
		{apiwatch.Modified, "w"},
		{apiwatch.Modified, "x"},
		{apiwatch.Deleted, "x"},
		{apiwatch.Added, "v"},
		{apiwatch.Deleted, "v"},
	}
	var got []change
	for len(got) < len(want) {
		ev, ok := <-w.ResultChan()
		if !ok {
			t.Fatal("the watch ended")
		}
		m, ok := ev.Object.(*corev1.ConfigMap)
		if !ok {
			t.Fatalf("%s brought %v", ev.Type, ev.Object)
		}
		got = append(got, change{ev.Type, m.Data["k"]})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// An informer of client-go fills its cache and follows changes.
func TestInformer(t *testing.T) {
	server, set := clientset(t, fakeapi.Options{Objects: []any{configMap("a"), configMap("b")}})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	factory := informers.NewSharedInformerFactory(set, 0)
	informer := factory.Core().V1().ConfigMaps()
	added, deleted := make(chan string, 10), make(chan string, 10)
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { added <- o.(*corev1.ConfigMap).Name },
		DeleteFunc: func(o any) { deleted <- o.(*corev1.ConfigMap).Name },
	}); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		t.Fatal("the cache is not filled")
	}
	if _, err := server.Create(configMap("c")); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for range 3 {
		names[receive(ctx, t, added)] = true
	}
	if d := cmp.Diff(map[string]bool{"a": true, "b": true, "c": true}, names); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if _, err := server.Remove("ConfigMap", "default", "a"); err != nil {
		t.Fatal(err)
	}
	if name := receive(ctx, t, deleted); name != "a" {
		t.Errorf("%s was deleted", name)
	}
	if _, err := informer.Lister().ConfigMaps("default").Get("a"); !apierrors.IsNotFound(err) {
		t.Errorf("the cache still has it: %v", err)
	}
	cancel()
	factory.Shutdown()
}

// receive returns the next name.
func receive(ctx context.Context, t *testing.T, names <-chan string) string {
	t.Helper()
	select {
	case name := <-names:
		return name
	case <-ctx.Done():
		t.Fatal("no name arrived")
		return ""
	}
}

// Discovery works.
func TestDiscovery(t *testing.T) {
	_, set := clientset(t, fakeapi.Options{})
	version, err := set.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion == "" {
		t.Error("the server has no version")
	}
	_, lists, err := set.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, l := range lists {
		for _, r := range l.APIResources {
			found = found || l.GroupVersion == "apps/v1" && r.Name == "deployments"
		}
	}
	if !found {
		t.Error("deployments are not discovered")
	}
}

// The dynamic client works.
func TestDynamic(t *testing.T) {
	_, cfg := listen(t, fakeapi.Options{Objects: []any{configMap("a"), configMap("b")}})
	connect(t, cfg)
	loose, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	maps := loose.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("default")
	list, err := maps.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	object := list.Items[0].DeepCopy()
	object.SetName("c")
	object.SetResourceVersion("")
	if _, err := maps.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err = maps.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(list.Items))
	for _, o := range list.Items {
		names = append(names, o.GetName())
	}
	if d := cmp.Diff([]string{"b", "c"}, names); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
