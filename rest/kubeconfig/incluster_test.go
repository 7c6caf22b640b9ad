package kubeconfig

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The address of the server is valid on IPv6 clusters, whether or not the variable has brackets.
func TestInClusterIPv6(t *testing.T) {
	for _, host := range []string{"fd00::1", "[fd00::1]"} {
		h := newHouse(t)
		h.pod()
		h.env["KUBERNETES_SERVICE_HOST"] = host
		c, err := inCluster(h.system())
		if err != nil {
			t.Fatal(err)
		}
		if c.Server != "https://[fd00::1]:443" {
			t.Errorf("server is %s", c.Server)
		}
		u, err := c.URL()
		if err != nil || u.Hostname() != "fd00::1" {
			t.Errorf("the URL is %v, %v", u, err)
		}
	}
}

func TestInCluster(t *testing.T) {
	h := newHouse(t)
	if _, err := inCluster(h.system()); !errors.Is(err, ErrNoConfig) {
		t.Errorf("error is %v", err)
	}
	h.pod()
	h.env["POD_NAMESPACE"] = "mine"
	if c, err := inCluster(h.system()); err != nil || c.Namespace != "mine" {
		t.Errorf("namespace is %q, %v", c.Namespace, err)
	}
	h.env["POD_NAMESPACE"] = ""
	if err := os.Remove(filepath.Join(h.dir, "sa/namespace")); err != nil {
		t.Fatal(err)
	}
	if c, err := inCluster(h.system()); err != nil || c.Namespace != "default" {
		t.Errorf("namespace is %q, %v", c.Namespace, err)
	}
	if err := os.Remove(filepath.Join(h.dir, "sa/token")); err != nil {
		t.Fatal(err)
	}
	if _, err := inCluster(h.system()); !errors.Is(err, ErrNoConfig) {
		t.Errorf("error is %v", err)
	}
}
