package conformance_test

const (
	budgets = "/apis/policy/v1/namespaces/$ns/poddisruptionbudgets"

	onlyMetadata     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	onlyMetadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// subRows are subresources other than status.
var subRows = []row{
	{name: "scale", run: func(s *script) {
		const path = deployments + "/a/scale"
		created := s.post(deployments, deployment("a"))
		s.get(path)
		s.merge(path, `{"spec":{"replicas":3}}`)
		s.get(deployments + "/a")
		s.put(path, `{"metadata":{"name":"a"},"spec":{"replicas":2}}`)
		s.put(path, `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","namespace":"$ns","uid":"`+created.uid()+`"},"spec":{}}`) // no replicas at all
		s.get(path)
		s.patch(path, strategy, `{"spec":{"replicas":4},"status":{"replicas":9}}`)
		s.patch(path, jsonPatch, `[{"op":"replace","path":"/spec/replicas","value":5},{"op":"test","path":"/status/selector","value":"a=b"}]`)
		s.patch(path, jsonPatch, `[{"op":"test","path":"/spec/replicas","value":4}]`)
		s.merge(path, `{"spec":{"replicas":5}}`) // nothing changes
		s.merge(path, `{"spec":{"replicas":7}}`, dryRun)
		s.merge(path, `{"spec":{"replicas":null}}`)
		s.merge(deployments+"/a/status", `{"status":{"replicas":6}}`)
		s.get(path)
		s.get(deployments + "/a")
	}},
	{name: "scale refused", run: func(s *script) {
		const path = deployments + "/a/scale"
		created := s.post(deployments, deployment("a"))
		s.merge(path, `{"spec":{"replicas":-1}}`)
		s.put(path, `{"metadata":{"name":"a"},"spec":{"replicas":-1}}`)
		s.put(path, `{"metadata":{"name":"a"},"spec":{"replicas":"x"}}`)
		s.merge(path, `{"metadata":{"name":"b"}}`)
		s.put(path, `{"metadata":{"name":"b"},"spec":{"replicas":2}}`)
		s.put(path, `{"metadata":{},"spec":{"replicas":2}}`)
		s.put(path, `{"metadata":{"name":"a","namespace":"other"},"spec":{"replicas":2}}`)
		s.put(path, `{"metadata":{"name":"a","uid":"00000000-0000-4000-8000-000000000000"},"spec":{"replicas":2}}`)
		s.put(path, deployment("a"))
		s.merge(path, `{"spec":{"replicas":2}}`)
		s.merge(path, `{"metadata":{"resourceVersion":"`+created.rv()+`"},"spec":{"replicas":3}}`)
		s.put(path, `{"metadata":{"name":"a","resourceVersion":"`+created.rv()+`"},"spec":{"replicas":3}}`)
		s.merge(path, `{"unknown":1,"spec":{"replicas":2}}`)
		s.merge(path, `[]`)
		s.merge(deployments+"/none/scale", `{"spec":{"replicas":2}}`)
		s.put(deployments+"/none/scale", `{"metadata":{"name":"none"},"spec":{"replicas":2}}`)
		s.get(deployments + "/none/scale")
		s.get(deployments + "/a/other")
		s.delete(path, "")
		s.post(path, `{}`)
		s.get(configMaps + "/a/scale")
		s.get("/apis/apps/v1/namespaces/$ns/daemonsets/a/scale")
	}},
	{name: "scale of the other kinds", run: func(s *script) {
		s.send("POST", core+"replicationcontrollers", `{"metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"b":"c","a":"b"},"template":{"metadata":{"labels":{"a":"b","b":"c"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
		s.get(core + "replicationcontrollers/a/scale")
		s.merge(core+"replicationcontrollers/a/scale", `{"spec":{"replicas":3}}`)
		const selector = `"selector":{"matchLabels":{"b":"c"},"matchExpressions":[{"key":"a","operator":"In","values":["y","b"]},{"key":"c","operator":"DoesNotExist"},{"key":"b","operator":"Exists"}]}`
		const template = `"template":{"metadata":{"labels":{"a":"b","b":"c"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
		for _, plural := range []string{"replicasets", "statefulsets"} {
			path := "/apis/apps/v1/namespaces/$ns/" + plural
			s.send("POST", path, `{"metadata":{"name":"a"},"spec":{"replicas":1,"serviceName":"s",`+selector+`,`+template+`}}`)
			s.get(path + "/a/scale")
			s.patch(path+"/a/scale", strategy, `{"spec":{"replicas":0}}`)
		}
	}},
	{name: "eviction", run: func(s *script) {
		s.evict("none", `{"metadata":{"name":"none"}}`)
		s.run("a")
		s.evict("a", `{"metadata":{"name":"a"}}`, dryRun)
		s.evict("a", `{"metadata":{"name":"a"},"deleteOptions":{"dryRun":["All"]}}`)
		s.get(pods + "/a")
		s.evict("a", `{"metadata":{"name":"b"}}`)
		s.evict("a", `{"metadata":{}}`)
		s.evict("a", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`)
		s.evict("a", `{"metadata":{"name":"a","namespace":"other"}}`)
		s.evict("a", `{"metadata":{"name":"a"},"deleteOptions":{"preconditions":{"resourceVersion":"1"}}}`)
		s.evict("a", `{"metadata":{"name":"a"},"deleteOptions":{"preconditions":{"uid":"00000000-0000-4000-8000-000000000000"}}}`)
		s.evict("a", `{"metadata":{"name":"a"},"deleteOptions":{"ignoreStoreReadErrorWithClusterBreakingPotential":true}}`)
		s.evict("a", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"},"deleteOptions":{"gracePeriodSeconds":5}}`)
		s.get(pods + "/a")
		s.evict("a", `{"metadata":{"name":"a"},"deleteOptions":{"gracePeriodSeconds":0}}`) // it is already ending
		s.get(pods + "/a")
		s.run("b")
		s.evict("b", `{"metadata":{"name":"b"},"deleteOptions":{"gracePeriodSeconds":0}}`)
		s.get(pods + "/b")
		s.get(pods + "/b/eviction")
		s.put(pods+"/b/eviction", `{}`)
		s.post(configMaps+"/b/eviction", `{}`)
	}},
	{name: "eviction with a budget", run: func(s *script) {
		s.run("a")
		s.post(budgets, budget("b1"))
		s.evict("a", `{"metadata":{"name":"a"}}`) // no controller has looked at it yet
		s.allow(`"disruptionsAllowed":0,"currentHealthy":1,"desiredHealthy":1`)
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.allow(`"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":1`)
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.allow(`"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"SyncFailed","message":"no luck","lastTransitionTime":"2026-01-02T03:04:05Z"}]`)
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.allow(`"conditions":[{"type":"DisruptionAllowed","status":"False","reason":"Other","message":"no luck","lastTransitionTime":"2026-01-02T03:04:05Z"}]`)
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.allow(`"conditions":null,"disruptionsAllowed":2`)
		s.evict("a", `{"metadata":{"name":"a"}}`, dryRun)
		s.get(budgets + "/b1")
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.get(budgets + "/b1")
		s.get(pods + "/a")
		s.run("c")
		s.evict("c", `{"metadata":{"name":"c"}}`)
		s.get(budgets + "/b1")
		s.run("d")
		s.evict("d", `{"metadata":{"name":"d"}}`)
		s.merge(pods+"/d/status", `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`)
		s.evict("d", `{"metadata":{"name":"d"}}`) // not ready, and enough others are
		s.merge(pods+"/d/status", `{"status":{"phase":"Succeeded"}}`)
		s.evict("d", `{"metadata":{"name":"d"},"deleteOptions":{"gracePeriodSeconds":0}}`)
		s.post(pods, pod("e", "a=b", ""))
		s.evict("e", `{"metadata":{"name":"e"}}`) // pending
		s.get(budgets + "/b1")
	}},
	{name: "eviction with several budgets", run: func(s *script) {
		s.run("a")
		s.post(budgets, budget("b1"))
		s.post(budgets, budget("b2"))
		s.post(budgets, `{"metadata":{"name":"none"},"spec":{"minAvailable":1}}`)
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.delete(budgets+"/b2", "")
		s.allow(`"disruptionsAllowed":1,"currentHealthy":2,"desiredHealthy":1`)
		s.evict("a", `{"metadata":{"name":"a"}}`)
		s.run("b")
		s.post(budgets, `{"metadata":{"name":"all"},"spec":{"minAvailable":1,"selector":{}}}`)
		s.evict("b", `{"metadata":{"name":"b"}}`)
	}},
	{name: "metadata of everything", run: func(s *script) {
		as := header("Accept", onlyMetadata)
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"x":"y"},"annotations":{"n":"1"},"finalizers":["example.org/a"]},"data":{"k":"v"}}`)
		s.get(configMaps+"/a", as)
		s.get(configMaps, as)
		s.get(configMaps, header("Accept", onlyMetadataList))
		s.get(configMaps+"/a", header("Accept", onlyMetadataList))
		s.get(configMaps+"/none", as)
		s.get(configMaps+"/a", header("Accept", onlyMetadata+",application/json"))
		s.get(configMaps+"/a", header("Accept", "application/json,"+onlyMetadata))
		s.get(configMaps+"/a", header("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1"))
		s.get(configMaps+"/a", header("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v2"))
		s.get(configMaps+"/a", header("Accept", "application/json;as=Other;g=meta.k8s.io;v=v1,*/*"))
		s.post(configMaps, configMap("b", "", "v"), as)
		s.merge(configMaps+"/b", `{"data":{"k":"w"}}`, as)
		s.get(configMaps+"?limit=1", header("Accept", onlyMetadataList))
		s.delete(configMaps+"/b", "", as)
		s.delete(configMaps+"/a", "", as)
		s.get(deployments, as)
		s.get(deployments, header("Accept", onlyMetadataList))
		s.get(events, as)
		s.get(roles, as)
		s.define()
		s.post(widgets, widget("a"))
		s.get(widgets+"/a", as)
		s.get(widgets, as)
		s.get(widgets, header("Accept", onlyMetadataList))
		s.get(widgets+"/a", header("Accept", onlyMetadataList))
	}},
	{name: "watch of metadata only", run: func(s *script) {
		first := s.post(configMaps, configMap("a", "x=y", "v"))
		w := s.watch(configMaps+"?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", header("Accept", onlyMetadata))
		w.next(2)
		s.merge(configMaps+"/a", `{"data":{"k":"w"}}`)
		w.next(1)
		s.delete(configMaps+"/a", "")
		w.next(1)
		w.close()
		again := s.watch(configMaps+"?watch=true&resourceVersion="+first.rv(), header("Accept", onlyMetadata+",application/json"))
		again.next(2)
		again.close()
	}},
}

// evict requests an eviction.
func (s *script) evict(pod, body string, o ...option) {
	s.t.Helper()
	s.post(pods+"/"+pod+"/eviction", body, o...)
}

// run creates a pod that is running and ready, on a node, so that it ends slowly.
func (s *script) run(name string) {
	s.t.Helper()
	s.send("POST", pods, pod(name, "a=b", "node1"))
	s.send("PATCH", pods+"/"+name+"/status", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":null}]}}`,
		header("Content-Type", mergePatch))
}

// allow writes the status of the budget b1, as a controller would.
func (s *script) allow(members string) {
	s.t.Helper()
	s.merge(budgets+"/b1/status", `{"status":{"observedGeneration":1,"expectedPods":2,`+members+`}}`)
}

func budget(name string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}}`
}
