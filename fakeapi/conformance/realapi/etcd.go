package realapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// compactRevKey is where kube-apiserver's compactor leaves the revision; every kube-apiserver
// watches it.
const compactRevKey = "compact_rev_key"

// startEtcd starts etcd on two free ports, without fsync: nobody needs the data after a crash.
func (s *Server) startEtcd(ctx context.Context) error {
	ports, err := freePorts(2)
	if err != nil {
		return err
	}
	clients := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	peers := fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	args := []string{
		"--name=default",
		"--data-dir=" + s.folder.join("etcd"),
		"--listen-client-urls=" + clients,
		"--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers,
		"--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=default=" + peers,
		"--watch-progress-notify-interval=5s", // as Kubernetes clusters have it: bookmarks need it
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
	p, err := startProcess(ctx, s.bin[Etcd], append(args, s.options.EtcdFlags...), s.folder.join("etcd.log"))
	if err != nil {
		return err
	}
	if err := waitReady(ctx, p, func(ctx context.Context) error { return get(ctx, s.direct, clients+"/readyz", "") }); err != nil {
		p.stop(0)
		return err
	}
	s.etcd, s.etcdURL = p, clients
	return nil
}

// Compact removes all history before the present from etcd and returns the revision that it
// compacted to.
//
// It does what the compactor of kube-apiserver does every five minutes. That is not yet enough for
// a 410: kube-apiserver serves older resource versions from its watch cache. Pages of a list get it
// within 15 seconds, which is how often the cache looks at the compacted revision; watches get it
// after a Restart, or after so many events that the cache overflows.
func (s *Server) Compact(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var got struct {
		Header struct {
			Revision int64 `json:"revision,string"`
		} `json:"header"`
	}
	key := base64.StdEncoding.EncodeToString([]byte(compactRevKey))
	if err := s.etcdCall(ctx, "range", map[string]any{"key": key}, &got); err != nil {
		return 0, err
	}
	rev := got.Header.Revision
	value := base64.StdEncoding.EncodeToString([]byte(strconv.FormatInt(rev, 10)))
	if err := s.etcdCall(ctx, "put", map[string]any{"key": key, "value": value}, nil); err != nil {
		return 0, err
	}
	return rev, s.etcdCall(ctx, "compaction", map[string]any{"revision": rev, "physical": true}, nil)
}

// etcdCall calls a method of etcd's KV service through its JSON gateway.
func (s *Server) etcdCall(ctx context.Context, method string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("realapi: etcd %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.etcdURL+"/v3/kv/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("realapi: etcd %s: %w", method, err)
	}
	resp, err := s.direct.Do(req)
	if err != nil {
		return fmt.Errorf("realapi: etcd %s: %w", method, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("realapi: etcd %s: %w", method, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("realapi: etcd %s: %s: %s", method, resp.Status, answer)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("realapi: etcd %s: %w", method, err)
	}
	return nil
}
