package clientgo_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientgorest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/tideway-go/tideway/fakeapi"
)

// client-go itself works in a bubble, where an hour takes no time: over connections in memory,
// without its rate limit, and with bodies in JSON.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(t, fakeapi.Options{Objects: []any{configMap("a")}})
		cfg := &clientgorest.Config{Host: server.Config().Server, Dial: server.Dial, QPS: -1}
		cfg.ContentType = "application/json"
		set, err := kubernetes.NewForConfig(cfg)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for range 100 {
			if _, err := set.CoreV1().ConfigMaps("default").Get(t.Context(), "a", metav1.GetOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("a hundred requests waited %v", took)
		}

		factory := informers.NewSharedInformerFactory(set, 0)
		informer := factory.Core().V1().ConfigMaps().Informer()
		names := make(chan string, 10)
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { names <- o.(*corev1.ConfigMap).Name },
		}); err != nil {
			t.Fatal(err)
		}
		stop := make(chan struct{})
		factory.Start(stop)
		first := <-names
		time.Sleep(time.Hour)
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
		if _, err := set.CoreV1().ConfigMaps("default").Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"a", "b"}, []string{first, <-names}); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
		close(stop)
		factory.Shutdown()
	})
}
