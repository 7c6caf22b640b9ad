package realapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

const (
	tokensFile   = "tokens.csv"
	probeTimeout = 5 * time.Second
)

// Everything are flags that make kube-apiserver serve what it can, whatever its stage. Some alpha
// gates need beta ones to start.
var Everything = []string{"--runtime-config=api/all=true", "--feature-gates=AllAlpha=true,AllBeta=true"}

// startAPIServer starts kube-apiserver on the server's port.
func (s *Server) startAPIServer(ctx context.Context) error {
	args := slices.Concat([]string{
		"--etcd-servers=" + s.etcdURL,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", s.port),
		"--cert-dir=" + s.folder.join("certs"),
		"--tls-cert-file=" + s.folder.join(certFile),
		"--tls-private-key-file=" + s.folder.join(keyFile),
		"--token-auth-file=" + s.folder.join(tokensFile),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + s.folder.join(saPublicKey),
		"--service-account-signing-key-file=" + s.folder.join(saKeyFile),
		"--service-cluster-ip-range=10.0.0.0/16",
		"--disable-admission-plugins=ServiceAccount", // nothing creates the service account "default"
		"--allow-privileged=true",
		"--endpoint-reconciler-type=none",
		"--etcd-compaction-interval=0", // history is removed when the test says so
		"--etcd-count-metric-poll-period=0",
		"--profiling=false",
	}, s.options.APIServerFlags)
	p, err := startProcess(ctx, s.bin[APIServer], args, s.folder.join("kube-apiserver.log"))
	if err != nil {
		return err
	}
	if err := waitReady(ctx, p, s.ready); err != nil {
		p.stop(0)
		return err
	}
	s.apiServer = p
	return nil
}

// ready checks what tests rely on: readyz succeeds before the controllers have created the first
// namespaces.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	transport := s.Transport()
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for _, path := range []string{
		"/readyz",
		"/api/v1/namespaces/default",
		"/api/v1/namespaces/kube-system",
		"/api/v1/namespaces/default/services/kubernetes",
	} {
		if err := get(ctx, client, s.URL()+path, Admin.Token); err != nil {
			return err
		}
	}
	return nil
}

// get requests a URL and fails unless the answer is 200.
func get(ctx context.Context, client *http.Client, url, token string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, tailBytes))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, resp.Status, body)
	}
	return nil
}
