package conformance_test

import (
	"fmt"
	"net/url"
)

// listRows are lists, pages, and reads at a version.
var listRows = []row{
	{name: "pages of a selection", run: func(s *script) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			label := "x=odd"
			if name == "b" || name == "d" {
				label = "x=even"
			}
			s.post(configMaps, configMap(name, label, "v"))
		}
		for _, query := range []string{
			"labelSelector=x=even&limit=2", "labelSelector=x=odd&limit=3", "labelSelector=x=even&limit=1", "labelSelector=x=none&limit=1", "labelSelector=x=even&limit=5",
			"fieldSelector=metadata.name=a&limit=1", "fieldSelector=metadata.name=c&limit=1", "fieldSelector=metadata.name!=e&limit=4",
			"fieldSelector=metadata.name=a&labelSelector=x=odd&limit=1", "limit=5", "limit=4", "labelSelector=x&limit=5",
		} {
			for token, pages := "", 0; pages < 5; pages++ {
				page := s.get(configMaps + "?" + query + token)
				if page.str("metadata.continue") == "" {
					break
				}
				token = "&continue=" + page.str("metadata.continue")
			}
		}
	}},
	{name: "list of nothing", run: func(s *script) {
		s.get(deployments)
		s.get(pods)
		s.get(core + "events")
		s.get("/api/v1/secrets?labelSelector=none-$ns")
	}},
	{name: "list is sorted by name", run: func(s *script) {
		for _, name := range []string{"b", "a-b", "a", "a.b", "c"} {
			s.post(configMaps, configMap(name, "row=$ns", "v"))
		}
		s.get(configMaps)
		s.get("/api/v1/configmaps?labelSelector=row=$ns")
	}},
	{name: "list is sorted by namespace and name", run: func(s *script) {
		s.post("/api/v1/namespaces", namespace("z-$ns", ""))
		s.post("/api/v1/namespaces", namespace("a-$ns", ""))
		for _, ns := range []string{"z-", "", "a-"} {
			s.post("/api/v1/namespaces/"+ns+"$ns/configmaps", configMap("m", "row=$ns", "v"))
		}
		s.get("/api/v1/configmaps?labelSelector=row=$ns")
		s.get("/api/v1/configmaps?labelSelector=row=$ns&fieldSelector=metadata.namespace!=$ns")
		s.get("/api/v1/configmaps?labelSelector=row=$ns&fieldSelector=metadata.namespace=z-$ns")
	}},
	{name: "list of every kind", run: func(s *script) {
		for path, body := range map[string]string{
			secrets: secret("a"), services: service("a"), deployments: deployment("a"), pods: pod("a", "", ""),
		} {
			a, _ := s.send("POST", path, body)
			if a.code != 201 {
				s.t.Errorf("POST %s: %s", path, a.raw)
			}
		}
		s.get(secrets)
		s.get(services)
		s.get(deployments)
		s.get(pods)
		s.get("/api/v1/namespaces?labelSelector=kubernetes.io/metadata.name=$ns")
	}},
	{name: "label selectors", run: func(s *script) {
		for i, labels := range []string{"", "x=1", "x=2", "x=1,y=1", "x=3,y=2", "n=7", "n=x", "example.org/k=v"} {
			s.post(configMaps, configMap(fmt.Sprintf("g%d", i), labels, "v"))
		}
		for _, selector := range []string{
			"x", "!x", "x=1", "x==1", "x!=1", "x in (1,3)", "x notin (1,3)", "x=1,y", "x,!y", "n>5", "n<5", "example.org/k=v", "x=", "x in ()", " x = 1 ", ",", "",
		} {
			s.names(configMaps + "?labelSelector=" + url.QueryEscape(selector))
		}
	}},
	{name: "invalid label selectors", run: func(s *script) {
		for _, selector := range []string{
			"x=1=2", "x in 1", "x in (1", "=1", "x>one", "bad key=1", "x=bad value", "!", "x,,y", "x=1,", "(x)", "x notin", "UPPER/x=1",
			"x in (", "x in (,", "x in (a b)", "x in (a,(", "x in (a,,b", "x in (=)", "x in (a,=)", "x in (a", "x in (a,", "x notin (bad/value,a)", "x in (-b,-a)", "x in ((", "x in )", "x in",
			"x notin (", "x in (a))", "x in (a) y", "x in (,,a", "x in (a !)",
			"x=-v", "x!=v-", "x=a/b", "x>-1-", "x in (a),y=b/c",
		} {
			s.get(configMaps + "?labelSelector=" + url.QueryEscape(selector))
		}
	}},
	{name: "field selectors", run: func(s *script) {
		for _, name := range []string{"a", "b", "c"} {
			s.post(pods, pod(name, "", map[string]string{"b": "node1"}[name]))
		}
		for _, selector := range []string{
			"metadata.name=a", "metadata.name!=a", "metadata.name==a", "metadata.name=none", "metadata.namespace=$ns", "metadata.namespace!=$ns", "metadata.name=a,metadata.name=b",
			"spec.nodeName=node1", "spec.nodeName=", "spec.nodeName!=", "status.phase=Pending", "status.phase!=Pending", "spec.restartPolicy=Always",
			"spec.schedulerName=default-scheduler", "",
		} {
			s.names(pods + "?fieldSelector=" + url.QueryEscape(s.expand(selector)))
		}
	}},
	{name: "invalid field selectors", run: func(s *script) {
		for _, selector := range []string{"metadata.name", "metadata.name=a=b", "data.k=v", "metadata.uid=u", "metadata.labels.x=y", "=a", "metadata.name in (a)", "spec.nodeName=a"} {
			s.get(configMaps + "?fieldSelector=" + url.QueryEscape(selector))
		}
		s.get(pods + "?fieldSelector=spec.none%3Da")
		s.get("/api/v1/namespaces?fieldSelector=status.phase%3DNone")
		s.get(secrets + "?fieldSelector=type%3DOpaque")
	}},
	{name: "pages", run: func(s *script) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			s.post(configMaps, configMap(name, "row=$ns", "v"))
		}
		first := s.get(configMaps + "?limit=2")
		s.post(configMaps, configMap("bb", "row=$ns", "v")) // later than the first page
		second := s.get(configMaps + "?limit=2&continue=" + first.str("metadata.continue"))
		third := s.get(configMaps + "?limit=2&continue=" + second.str("metadata.continue"))
		s.note("same version", first.rv() == second.rv() && second.rv() == third.rv())
		s.get(configMaps + "?continue=" + first.str("metadata.continue"))
		s.get(configMaps + "?limit=5")
		s.get(configMaps + "?limit=6")
		s.get(configMaps + "?limit=0")
		s.get(configMaps + "?limit=2&resourceVersion=0")
		all := s.get("/api/v1/configmaps?labelSelector=row=$ns&limit=4")
		s.get("/api/v1/configmaps?labelSelector=row=$ns&limit=4&continue=" + all.str("metadata.continue"))
		s.get(configMaps + "?limit=1&fieldSelector=metadata.name=c")
		s.get(configMaps + "?limit=2&fieldSelector=metadata.name!=c")
	}},
	{name: "pages refused", run: func(s *script) {
		for _, name := range []string{"a", "b", "c"} {
			s.post(configMaps, configMap(name, "", "v"))
		}
		first := s.get(configMaps + "?limit=1")
		token := first.str("metadata.continue")
		s.get(configMaps + "?limit=1&continue=nonsense")
		s.get(configMaps + "?limit=1&continue=e30")
		s.get(configMaps + "?limit=1&continue=" + token + "&resourceVersion=" + first.rv())
		s.get(configMaps + "?limit=1&continue=" + token + "&resourceVersion=0")
		s.get(configMaps + "?limit=1&continue=" + token + "&resourceVersionMatch=NotOlderThan")
		s.get(configMaps + "?limit=1&continue=" + token + "&resourceVersionMatch=Exact&resourceVersion=" + first.rv())
		s.get(configMaps + "?limit=one")
		s.get(configMaps + "?limit=-1")
	}},
	{name: "list at a version", run: func(s *script) {
		before := s.post(configMaps, configMap("a", "", "v"))
		after := s.post(configMaps, configMap("b", "", "v"))
		s.names(configMaps + "?resourceVersion=0")
		s.names(configMaps + "?resourceVersion=" + before.rv())
		s.names(configMaps + "?resourceVersion=" + after.rv())
		s.names(configMaps + "?resourceVersion=" + before.rv() + "&resourceVersionMatch=NotOlderThan")
		s.names(configMaps + "?resourceVersion=0&resourceVersionMatch=NotOlderThan")
		exact := s.names(configMaps + "?resourceVersion=" + before.rv() + "&resourceVersionMatch=Exact")
		s.note("the version that was asked for", exact.rv() == before.rv())
		limited := s.names(configMaps + "?limit=1&resourceVersion=" + before.rv())
		s.note("the version that was asked for", limited.rv() == before.rv())
		limited = s.names(configMaps + "?limit=1&resourceVersionMatch=Exact&resourceVersion=" + after.rv())
		s.names(configMaps + "?limit=1&continue=" + limited.str("metadata.continue"))
	}},
	{name: "list at a version refused", run: func(s *script) {
		now := s.post(configMaps, configMap("a", "", "v")).rv()
		for _, query := range []string{
			"resourceVersion=none", "resourceVersion=-1", "resourceVersion=01", "resourceVersion=1.5", "resourceVersion=0&resourceVersionMatch=Exact",
			"resourceVersionMatch=Exact", "resourceVersionMatch=NotOlderThan", "resourceVersion=" + now + "&resourceVersionMatch=Newest",
			"sendInitialEvents=true", "sendInitialEvents=false", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
			"sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=" + now, "timeoutSeconds=soon", "resourceVersion=99999999999999999999",
		} {
			s.get(configMaps + "?" + query)
		}
	}},
	{name: "future version", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.get(configMaps + "?resourceVersion=1000000000")
		s.get(configMaps + "?resourceVersion=1000000000&resourceVersionMatch=NotOlderThan")
		s.get(configMaps + "?resourceVersion=1000000000&resourceVersionMatch=Exact")
		s.get(configMaps + "?resourceVersion=1000000000&limit=1")
		s.get(configMaps + "/a?resourceVersion=1000000000")
	}},
	{name: "get at a version", run: func(s *script) {
		created := s.post(configMaps, configMap("a", "", "v"))
		changed := s.put(configMaps+"/a", created.with("data.k", "w"))
		s.get(configMaps + "/a?resourceVersion=" + changed.rv()) // the cache catches up with it
		s.get(configMaps + "/a?resourceVersion=" + created.rv()) // not older than
		s.get(configMaps + "/a?resourceVersion=none")
		s.get(configMaps + "/a?resourceVersion=-1")
		s.get(configMaps + "/b?resourceVersion=" + created.rv())
	}},
}

// names is get for a list of which only the names, the metadata and the number of items matter.
func (s *script) names(path string) answer {
	s.t.Helper()
	a, headers := s.send("GET", path, "")
	e := exchange{Request: "GET " + path, Code: a.code, Header: headers, Body: a.doc}
	if items, ok := lookup(a.doc, "items").([]any); ok {
		names := make([]any, 0, len(items))
		for _, item := range items {
			meta, _ := lookup(item, "metadata").(map[string]any)
			names = append(names, map[string]any{"labels": meta["labels"], "name": meta["name"]})
		}
		e.Body = map[string]any{"kind": lookup(a.doc, "kind"), "metadata": lookup(a.doc, "metadata"), "names": names}
	}
	s.log = append(s.log, e)
	return a
}
