package conformance_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// httpRows are what HTTP makes possible: other spellings of paths, HEAD, compression.
var httpRows = []row{
	{name: "odd paths", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		for _, path := range []string{
			configMaps + "/", configMaps + "/a/", "/api/v1/namespaces/$ns/configmaps/a%2Fb", "/api/v1/namespaces//configmaps?labelSelector=none", "/api/", "/apis/apps/",
			"/api/v1/namespaces/$ns/configmaps/%61", "/api/v1/namespaces/$ns/configmaps/A", "/api/v1/namespaces/$ns/configmaps/%2e%2e", "/API/v1/pods", "/api/v1/Pods",
			"/api/v1/namespaces/%20/configmaps", "/api/v1/namespaces/$ns", "/api/v1/namespaces/$ns/",
		} {
			s.get(path)
		}
	}},
	{name: "deprecated path of watches", lacks: "nobody should use it", run: func(s *script) {
		s.watch("/api/v1/watch/namespaces/$ns/configmaps?timeoutSeconds=1").rest()
	}},
	{name: "HEAD", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.do(http.MethodHead, configMaps+"/a", "")
		s.do(http.MethodHead, configMaps+"/none", "")
		s.do(http.MethodHead, configMaps, "")
		s.do(http.MethodHead, "/api", "")
	}},
	{name: "parameters that nobody knows", run: func(s *script) {
		s.post(configMaps+"?nonsense=1&pretty=true", configMap("a", "", "v"))
		s.get(configMaps + "?nonsense=1&limit=1&limit=2")
		s.get(configMaps + "/a?nonsense=1")
		s.get(configMaps + "/a?labelSelector=nonsense%20in")
		s.get(configMaps + "?%zz")
		s.delete(configMaps+"/a?nonsense=1", "")
	}},
	{name: "compression", lacks: "nothing is compressed", run: func(s *script) {
		s.post(configMaps, configMap("a", "", strings.Repeat("0123456789", 20_000)))
		const streaming = "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
		s.encoding(configMaps + "/a")
		s.encoding(configMaps)
		s.encoding("/api/v1/namespaces/$ns")
		s.encoding(configMaps + streaming)
		s.encoding(configMaps + "?watch=true")
		s.encoding(configMaps + "?watch=true&resourceVersion=0")
		w := s.watch(configMaps+streaming, header("Accept-Encoding", "identity"))
		w.next(2)
		w.close()
	}},
}

// encoding writes down how an answer is encoded for a client that takes gzip, and passes over what
// it says.
func (s *script) encoding(path string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	resp, err := s.client.Do(s.request(ctx, http.MethodGet, path, "", header("Accept-Encoding", "gzip")))
	if err != nil {
		s.t.Fatalf("GET %s: %v", path, err)
	}
	defer resp.Body.Close()
	headers := comparedHeaders(resp.Header)
	for _, name := range []string{"Content-Encoding", "Vary"} {
		if value := resp.Header.Get(name); value != "" {
			headers[name] = value
		}
	}
	// The first byte has to come at once, compressed or not.
	late := time.AfterFunc(patience, cancel)
	defer late.Stop()
	var first [1]byte
	_, err = io.ReadFull(resp.Body, first[:])
	s.log = append(s.log, exchange{Request: "encoding of " + path, Code: resp.StatusCode, Header: headers, Body: err == nil})
}
