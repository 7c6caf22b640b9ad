package fakeapi_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// A test shows whether the roles that a program ships are sufficient for what it does.
func ExampleOptions_rbac() {
	ctx := context.Background()
	server, err := fakeapi.Start(ctx, fakeapi.Options{RBAC: true, Objects: []any{
		rest.Object{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": "controller"},
			"rules": []any{map[string]any{"apiGroups": []string{""}, "resources": []string{"configmaps"}, "verbs": []string{"get", "list", "watch"}}},
		},
		rest.Object{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": map[string]any{"name": "controller", "namespace": "default"},
			"roleRef":  map[string]any{"kind": "ClusterRole", "name": "controller"},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": "controller"}},
		},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	cfg := server.Config()
	cfg.Impersonate.User = "system:serviceaccount:default:controller"
	client, err := rest.New(cfg, rest.Options{Dial: server.Dial})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.CloseIdle()
	maps := rest.For[rest.Object](client, "ConfigMap")
	_, err = stream.Await(maps.In("default").List(ctx, rest.ListOptions{}))
	fmt.Println(err)
	_, err = stream.Await(maps.In("default").Delete(ctx, "settings", rest.DeleteOptions{}))
	fmt.Println(errors.Is(err, rest.ErrForbidden))
	_, err = stream.Await(maps.In("kube-system").List(ctx, rest.ListOptions{}))
	fmt.Println(err)
	// Output:
	// <nil>
	// true
	// list configmaps kube-system/*: forbidden (403): User "system:serviceaccount:default:controller" cannot list resource "configmaps" in API group "" in the namespace "kube-system"
}
