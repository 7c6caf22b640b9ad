package kubeconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"strings"

	"github.com/tideway-go/tideway/rest/internal/files"
	"github.com/tideway-go/tideway/rest/internal/line"
)

// serviceAccountDir is where the kubelet mounts the credentials of a pod.
const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster returns the configuration for the pod that the program runs in.
//
// The server comes from KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. The token, certificate
// authority and namespace come from the service account that the kubelet mounts; POD_NAMESPACE
// overrides the namespace. The token is read again as it rotates. Outside a pod the error matches
// [ErrNoConfig]; a pod with a token but no certificate authority is a different error.
func InCluster() (Config, error) {
	c, err := inCluster(realSystem())
	return c, line.Error(err)
}

func inCluster(sys system) (Config, error) {
	host, port := sys.getenv("KUBERNETES_SERVICE_HOST"), sys.getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return Config{}, fmt.Errorf("kubeconfig: %w: KUBERNETES_SERVICE_HOST or KUBERNETES_SERVICE_PORT is not set", ErrNoConfig)
	}
	token := filepath.Join(sys.serviceAccount, "token")
	err := files.Stat(token, sys.patience)
	switch {
	case errors.Is(err, files.ErrSlow):
		return Config{}, fmt.Errorf("kubeconfig: service account: %w", err)
	case err != nil:
		return Config{}, fmt.Errorf("kubeconfig: %w: token: %w", ErrNoConfig, err)
	}
	ca := filepath.Join(sys.serviceAccount, "ca.crt")
	if err := files.Stat(ca, sys.patience); err != nil {
		return Config{}, fmt.Errorf("kubeconfig: service account: %w", err)
	}
	namespace, err := podNamespace(sys)
	if err != nil {
		return Config{}, err
	}
	// JoinHostPort adds brackets to an IPv6 address; in some clusters the variable already has
	// them.
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return Config{
		Server:    "https://" + net.JoinHostPort(host, port),
		Namespace: namespace,
		TLS:       TLS{CAFile: ca},
		TokenFile: token,
	}, nil
}

// podNamespace returns the namespace of the pod.
func podNamespace(sys system) (string, error) {
	if n := strings.TrimSpace(sys.getenv("POD_NAMESPACE")); n != "" {
		return n, nil
	}
	raw, err := sys.read(filepath.Join(sys.serviceAccount, "namespace"), files.MaxNamespace)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("kubeconfig: service account: %w", err)
	}
	if n := strings.TrimSpace(string(raw)); n != "" {
		return n, nil
	}
	return DefaultNamespace, nil
}
