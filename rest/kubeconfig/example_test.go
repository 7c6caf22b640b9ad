package kubeconfig_test

import (
	"errors"
	"fmt"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const text = `
current-context: prod
clusters: [{name: east, cluster: {server: "https://east.example.com:6443"}}]
users: [{name: jane, user: {token: hunter2}}]
contexts:
- {name: prod, context: {cluster: east, user: jane, namespace: shop}}
`

func ExampleParse() {
	cfg, err := kubeconfig.Parse([]byte(text), kubeconfig.Options{})
	fmt.Println(cfg, err)
	_, err = kubeconfig.Parse([]byte(text), kubeconfig.Options{Context: "test"})
	fmt.Println(err)
	// Output:
	// kubeconfig.Config{server: https://east.example.com:6443, context: "prod", namespace: "shop", credentials: token} <nil>
	// kubeconfig (inline): the context "test" does not exist; known contexts: "prod"
}

func ExampleLoad() {
	_, err := kubeconfig.Load(kubeconfig.Options{Path: "/nowhere/config"})
	fmt.Println(err)
	// Output: kubeconfig: open /nowhere/config: no such file or directory
}

func ExampleInCluster() {
	cfg, err := kubeconfig.InCluster()
	if errors.Is(err, kubeconfig.ErrNoConfig) {
		cfg, err = kubeconfig.Load(kubeconfig.Options{})
	}
	if err != nil {
		return
	}
	fmt.Println(cfg.Server)
}

func ExampleSecret() {
	token := kubeconfig.Secret("hunter2")
	fmt.Println(token, len(string(token)))
	// Output: [redacted] 7
}
