package rest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// The cost of a get without the network: for a built-in kind, and for one that discovery has found
// in a cluster that serves many.
func BenchmarkGet(b *testing.B) {
	for _, kind := range []string{"ConfigMap", "Backup200"} {
		b.Run(kind, func(b *testing.B) {
			client, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Transport: getServer{}, Discovery: true})
			if err != nil {
				b.Fatal(err)
			}
			objects := rest.For[rest.Object](client, kind).In("default")
			b.ReportAllocs()
			for range b.N {
				if _, err := stream.Await(objects.Get(b.Context(), "web")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// getServer answers gets and discovery.
type getServer struct{}

func (getServer) RoundTrip(r *http.Request) (*http.Response, error) {
	header, body := http.Header{"Content-Type": {"application/json"}}, ""
	switch {
	case r.URL.Path == "/api":
		header.Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		body = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[]}`
	case r.URL.Path == "/apis":
		header.Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		body = manyKinds
	case strings.Contains(r.URL.Path, "/backup200s/"):
		body = `{"kind":"Backup200","apiVersion":"example.com/v1","metadata":{"name":"web","namespace":"default","resourceVersion":"1"}}`
	default:
		body = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"default","resourceVersion":"1"}}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader(body)),
		ContentLength: int64(len(body)), Request: r,
	}, nil
}

// manyKinds is the discovery document of a group of 240 kinds.
var manyKinds = func() string {
	const kinds = 240
	resources := make([]string, 0, kinds)
	for i := range kinds {
		n := "backup" + string(rune('0'+i/100)) + string(rune('0'+i/10%10)) + string(rune('0'+i%10))
		resources = append(resources, `{"resource":"`+n+`s","responseKind":{"kind":"B`+n[1:]+`"},"scope":"Namespaced",`+
			`"verbs":["create","get","list","patch","update","watch"],"shortNames":["`+n+`x"],"categories":["all"],`+
			`"subresources":[{"subresource":"status","verbs":["get"]}]}`)
	}
	return `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":"example.com"},` +
		`"versions":[{"version":"v1","resources":[` + strings.Join(resources, ",") + `]}]}]}`
}()
