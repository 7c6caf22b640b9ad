package conformance_test

// statusRows distinguish the object from its status.
var statusRows = []row{
	{name: "status is its own", run: func(s *script) {
		const path = deployments + "/a"
		created := s.post(deployments, deployment("a"))
		s.get(path + "/status")
		s.put(path, created.with("status.replicas", 7)) // not written here
		changed := s.put(path+"/status", created.with("status.replicas", 2, "spec.replicas", 9, "metadata.labels.x", "y", "metadata.annotations.a", "b"))
		s.get(path)
		s.put(path, changed.with("spec.replicas", 5, "status", nil))
		s.put(path+"/status", created.with("status.replicas", 3)) // stale
		s.put(path+"/status", created.with("status.replicas", 3, "metadata.resourceVersion", nil))
		s.merge(path+"/status", `{"status":{"readyReplicas":1,"availableReplicas":1},"spec":{"replicas":1}}`)
		s.merge(path+"/status", `{"status":null}`)
		s.merge(path, `{"status":{"replicas":4},"metadata":{"labels":{"x":"z"}}}`)
		s.merge(path, `{"spec":{"replicas":6}}`)
		s.get(path)
		s.get(path + "/status")
	}},
	{name: "status of a pod", run: func(s *script) {
		const path = pods + "/a"
		created := s.post(pods, pod("a", "", ""))
		s.merge(path+"/status", `{"status":{"phase":"Running","podIP":"10.1.2.3","podIPs":[{"ip":"10.1.2.3"}]}}`)
		s.merge(path, `{"status":{"phase":"Failed"}}`)
		s.put(path+"/status", created.with("status.phase", "Failed", "metadata.resourceVersion", nil))
		s.names(pods + "?fieldSelector=status.phase=Failed")
	}},
	{name: "status of a namespace", run: func(s *script) {
		s.get("/api/v1/namespaces/$ns/status")
	}},
	{name: "status that contradicts the object", lacks: noSchema, run: func(s *script) {
		s.merge("/api/v1/namespaces/$ns/status", `{"status":{"phase":"Terminating"}}`)
		s.post(deployments, deployment("a"))
		s.merge(deployments+"/a/status", `{"status":{"replicas":1,"availableReplicas":2}}`)
	}},
	{name: "status refused", run: func(s *script) {
		s.get(deployments + "/none/status")
		s.put(deployments+"/none/status", deployment("none"))
		s.merge(deployments+"/none/status", `{"status":{"replicas":1}}`)
		s.post(deployments, deployment("a"))
		s.put(deployments+"/a/status", deployment("b"))
		s.put(deployments+"/a/status", configMap("a", "", "v"))
		s.get(configMaps + "/a/status")
		s.post(configMaps, configMap("a", "", "v"))
		s.get(configMaps + "/a/status")
		s.merge(configMaps+"/a/status", `{}`)
	}},
	{name: "generation", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.merge(path, `{"metadata":{"labels":{"x":"y"}}}`)
		s.merge(path, `{"spec":{"replicas":2}}`)
		s.merge(path, `{"spec":{"replicas":2}}`)
		s.merge(path, `{"metadata":{"generation":50},"spec":{"replicas":3}}`)
		s.merge(path, `{"metadata":{"finalizers":["example.org/a"]}}`)
		s.delete(path, "")
		s.delete(path, "")
		s.merge(path, `{"spec":{"replicas":4}}`)
	}},
}
