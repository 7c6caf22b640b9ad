package conformance_test

// objectRows are the life of one object of each kind, and the ways to delete one.
var objectRows = []row{
	{name: "life of a ConfigMap", run: func(s *script) { life(s, configMaps, configMap("a", "x=y", "v"), "data.k", "w") }},
	{name: "life of a Secret", run: func(s *script) { life(s, secrets, secret("a"), "data.k", "dw==") }},
	{name: "life of a Service", run: func(s *script) { life(s, services, service("a"), "spec.publishNotReadyAddresses", true) }},
	{name: "life of a Deployment", run: func(s *script) { life(s, deployments, deployment("a"), "spec.replicas", 3) }},
	{name: "life of a Pod", run: func(s *script) { life(s, pods, pod("a", "x=y", ""), "metadata.labels.x", "z") }},
	{name: "life of a ClusterRole", run: func(s *script) {
		created := s.post(roles, clusterRole("a-$ns", "x=y"))
		s.get(roles + "/a-$ns")
		s.put(roles+"/a-$ns", created.with("metadata.labels.x", "z"))
		s.delete(roles+"/a-$ns", "")
		s.get(roles + "/a-$ns")
	}},
	{name: "life of a Namespace", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		created := s.post("/api/v1/namespaces", namespace("a-$ns", "x=y"))
		s.get(path)
		s.put(path, created.with("metadata.labels.x", "z"))
		s.delete(path, "")
		s.get(path)
		s.post(path+"/configmaps", configMap("late", "", "v")) // nothing is created in a namespace that is being deleted
	}},
	{name: "namespace without anything but a name", run: func(s *script) {
		s.post("/api/v1/namespaces", `{"metadata":{"name":"a-$ns"}}`)
	}},
	{name: "generateName", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"generateName":"gen-"},"data":{"k":"v"}}`)
		s.post(configMaps, `{"metadata":{"generateName":"gen-"},"data":{"k":"v"}}`)
		s.post(configMaps, `{"metadata":{"generateName":"gen-","name":"named"},"data":{"k":"v"}}`)
		s.post(configMaps, `{"metadata":{"generateName":"Gen_"},"data":{"k":"v"}}`)
		s.post(configMaps, `{"metadata":{},"data":{"k":"v"}}`)
		s.post(configMaps, `{"data":{"k":"v"}}`)
	}},
	{name: "create fills in type and namespace", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"bare"},"data":{"k":"v"}}`)
		s.post(configMaps, `{"metadata":{"name":"namespaced","namespace":"$ns"}}`)
		s.post(configMaps, `{"metadata":{"name":"nulls","labels":null,"annotations":{}},"data":null,"binaryData":{}}`)
	}},
	{name: "create ignores what the server owns", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","uid":"00000000-0000-4000-8000-000000000000","creationTimestamp":"2001-01-01T00:00:00Z","generation":7,"selfLink":"/x",`+
			`"deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":5}}`)
		s.post(configMaps, `{"metadata":{"name":"b","resourceVersion":"5"}}`)
		s.post(pods, pod("p", "", ""))
		s.post(deployments, deployment("d"))
	}},
	{name: "finalizers", run: func(s *script) {
		const path = configMaps + "/a"
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["example.org/b","example.org/a"]},"data":{"k":"v"}}`)
		deleted := s.delete(path, "")
		s.get(path)
		s.delete(path, "")
		s.put(path, deleted.with("metadata.finalizers", []string{"example.org/a", "example.org/new"})) // no new ones are allowed now
		s.put(path, deleted.with("metadata.finalizers", []string{"example.org/a"}))
		s.put(path, deleted.with("metadata.finalizers", []string{"example.org/a"})) // stale
		s.merge(path, `{"data":{"k":"w"}}`)
		s.merge(path, `{"metadata":{"finalizers":null}}`)
		s.get(path)
	}},
	{name: "last finalizer goes by update", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["example.org/a"]},"data":{"k":"v"}}`)
		deleted := s.delete(configMaps+"/a", "")
		s.put(configMaps+"/a", deleted.with("metadata.finalizers", nil, "data.k", "last"))
		s.get(configMaps + "/a")
	}},
	{name: "finalizer without a slash", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["nope"]}}`)
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["Not A Name/x"]}}`)
	}},
	{name: "grace of a pod on a node", run: func(s *script) {
		const path = pods + "/a"
		s.post(pods, pod("a", "", "node1"))
		s.delete(path, "")
		s.get(path)
		s.delete(path, `{"gracePeriodSeconds":60}`) // never longer
		s.delete(path, `{"gracePeriodSeconds":5}`)
		s.delete(path, `{"gracePeriodSeconds":0}`)
		s.get(path)
	}},
	{name: "grace zero at once", run: func(s *script) {
		s.post(pods, pod("a", "", "node1"))
		s.delete(pods+"/a?gracePeriodSeconds=0", "")
		s.get(pods + "/a")
	}},
	{name: "grace of what has none", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a", `{"gracePeriodSeconds":30}`)
		s.get(configMaps + "/a")
		s.post(pods, pod("a", "", ""))
		s.delete(pods+"/a", `{"gracePeriodSeconds":30}`) // not on a node: gone at once
		s.get(pods + "/a")
	}},
	{name: "grace of a negative number", run: func(s *script) {
		s.post(pods, pod("a", "", "node1"))
		s.delete(pods+"/a", `{"gracePeriodSeconds":-1}`)
		s.get(pods + "/a")
	}},
	{name: "propagation policies", run: func(s *script) {
		s.post(configMaps, configMap("background", "", "v"))
		s.delete(configMaps+"/background", `{"propagationPolicy":"Background"}`)
		s.post(configMaps, configMap("foreground", "", "v"))
		s.delete(configMaps+"/foreground", `{"propagationPolicy":"Foreground"}`)
		s.get(configMaps + "/foreground")
		s.delete(configMaps+"/foreground", `{"propagationPolicy":"Orphan"}`) // a change of mind
		s.delete(configMaps+"/foreground?propagationPolicy=Background", "")
		s.get(configMaps + "/foreground")
		s.post(configMaps, configMap("orphan", "", "v"))
		s.delete(configMaps+"/orphan", `{"orphanDependents":true}`)
		s.post(configMaps, configMap("orphan2", "", "v"))
		s.delete(configMaps+"/orphan2", `{"orphanDependents":false}`)
		s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a", `{"propagationPolicy":"Sometimes"}`)
		s.delete(configMaps+"/a", `{"propagationPolicy":"Orphan","orphanDependents":true}`)
	}},
	{name: "preconditions", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "", "v"))
		s.delete(path, `{"preconditions":{"uid":"00000000-0000-4000-8000-000000000000"}}`)
		s.delete(path, `{"preconditions":{"resourceVersion":"1"}}`)
		changed := s.put(path, created.with("data.k", "w"))
		s.delete(path, `{"preconditions":{"uid":"`+created.uid()+`","resourceVersion":"`+created.rv()+`"}}`)
		s.delete(path, `{"preconditions":{"uid":"`+created.uid()+`","resourceVersion":"`+changed.rv()+`"}}`)
		s.get(path)
		s.delete(path, `{"preconditions":{"uid":"`+created.uid()+`"}}`)
	}},
	{name: "created again", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a", "")
		s.post(configMaps, configMap("a", "", "v"))
		s.get(configMaps + "/a")
	}},
	{name: "delete a collection", run: func(s *script) {
		for _, name := range []string{"a", "b", "c"} {
			s.post(configMaps, configMap(name, "x="+name, "v"))
		}
		s.delete(configMaps+"?labelSelector=x%20in%20(a,c)", "")
		s.get(configMaps + "?labelSelector=x")
		s.delete(configMaps+"?labelSelector=x", `{"propagationPolicy":"Foreground"}`)
		s.delete(configMaps+"?labelSelector=nothing", "")
		s.get(configMaps + "?labelSelector=x")
	}},
	{name: "dry run", run: func(s *script) {
		s.post(configMaps+"?dryRun=All", configMap("a", "", "v"))
		s.get(configMaps + "/a")
		created := s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps+"?dryRun=All", configMap("a", "", "v"))
		s.put(configMaps+"/a?dryRun=All", created.with("data.k", "w"))
		s.merge(configMaps+"/a?dryRun=All", `{"data":{"k":"w"}}`)
		s.delete(configMaps+"/a?dryRun=All", "")
		s.delete(configMaps+"/a", `{"dryRun":["All"]}`)
		s.get(configMaps + "/a")
		s.post(configMaps+"?dryRun=Some", configMap("b", "", "v"))
	}},
}

// life creates, reads, lists, changes and deletes one object.
func life(s *script, collection, body, path string, value any) {
	created := s.post(collection, body)
	one := collection + "/" + created.str("metadata.name")
	s.get(one)
	s.get(collection)
	changed := s.put(one, created.with(path, value))
	s.put(one, created.with(path, value)) // the same, at an old version
	s.put(one, changed.with())            // nothing changes
	s.get(one)
	s.delete(one, "")
	s.get(one)
	s.delete(one, "")
}
