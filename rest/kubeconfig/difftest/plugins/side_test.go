package plugins

import (
	"net/http"

	"k8s.io/apimachinery/pkg/util/net"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// side is one of the two libraries. It loads a kubeconfig and returns the transport that adds the
// credentials, and a function that closes idle connections.
type side func(path string, stdinTaken bool) (http.RoundTripper, func(), error)

// theirs is client-go.
func theirs(path string, stdinTaken bool) (http.RoundTripper, func(), error) {
	rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, nil, err
	}
	if config.ExecProvider != nil {
		config.ExecProvider.StdinUnavailable = stdinTaken
	}
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		return nil, nil, err
	}
	return client.Transport, func() { net.CloseIdleConnectionsFor(client.Transport) }, nil
}

// ours is Tideway.
func ours(path string, stdinTaken bool) (http.RoundTripper, func(), error) {
	config, err := kubeconfig.Load(kubeconfig.Options{Path: path})
	if err != nil {
		return nil, nil, err
	}
	if config.Exec != nil {
		config.Exec.StdinTaken = stdinTaken
	}
	client, err := rest.New(config, rest.Options{})
	if err != nil {
		return nil, nil, err
	}
	return client.RoundTripper(), client.CloseIdle, nil
}
