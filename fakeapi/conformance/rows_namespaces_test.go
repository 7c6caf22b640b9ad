package conformance_test

// namespaceRows are the life of a namespace, and the branches of its validation.
var namespaceRows = []row{
	{name: "namespaces that may not be deleted", run: func(s *script) {
		for _, name := range []string{"default", "kube-system", "kube-public"} {
			s.delete("/api/v1/namespaces/"+name, "")
			s.delete("/api/v1/namespaces/"+name+"?dryRun=All", `{"propagationPolicy":"Foreground"}`)
			a, _ := s.send("DELETE", "/api/v1/namespaces/"+name, `{"preconditions":{"uid":"u"}}`)
			s.note("of another uid", a.code)
		}
		s.delete("/api/v1/namespaces/kube-node-lease?dryRun=All", "")
	}},
	{name: "a namespace that is deleted twice", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		s.post("/api/v1/namespaces", namespace("a-$ns", ""))
		s.delete(path, "")
		s.delete(path, "")
		s.delete(path, `{"propagationPolicy":"Foreground"}`)
		s.delete(path+"?dryRun=All", "")
		s.post("/api/v1/namespaces", namespace("a-$ns", ""))
		s.get(path)
		s.delete(path, `{"preconditions":{"uid":"u"}}`)
		s.delete(path, `{"preconditions":{"resourceVersion":"1"}}`)
	}},
	{name: "propagation of the deletion of a namespace", run: func(s *script) {
		for _, pair := range [][2]string{
			{"foreground", `{"propagationPolicy":"Foreground"}`},
			{"background", `{"propagationPolicy":"Background"}`},
			{"orphan", `{"propagationPolicy":"Orphan"}`},
			{"orphans", `{"orphanDependents":true}`},
			{"no-orphans", `{"orphanDependents":false}`},
			{"uid", `{"preconditions":{"uid":"u"}}`},
			{"version", `{"preconditions":{"resourceVersion":"1"}}`},
			{"dry", `{"dryRun":["All"]}`},
			{"grace", `{"gracePeriodSeconds":5}`},
		} {
			s.post("/api/v1/namespaces", namespace(pair[0]+"-$ns", ""))
			s.delete("/api/v1/namespaces/"+pair[0]+"-$ns", pair[1])
			s.get("/api/v1/namespaces/" + pair[0] + "-$ns")
		}
	}},
	{name: "finalize is the way out for a namespace", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		created := s.post("/api/v1/namespaces", namespace("a-$ns", "x=y"))
		s.put(path+"/finalize", created.with("spec.finalizers", []string{"kubernetes", "example.org/a"}))
		s.put(path+"/finalize", created.with("spec.finalizers", []string{"nope"}, "metadata.resourceVersion", nil))
		s.put(path+"/finalize", created.with("spec.finalizers", []string{"a b"}, "metadata.resourceVersion", nil))
		s.put(path+"/finalize", created.with("spec.finalizers", []string{"kubernetes"}))
		s.put(path+"/finalize", created.with("metadata.name", "other"))
		s.put(path+"/finalize", created.with("metadata.uid", "u", "metadata.resourceVersion", nil))
		s.put(path+"/finalize", created.with("metadata.labels.x", "z", "status.phase", "Nothing", "metadata.resourceVersion", nil))
		s.get(path + "/finalize")
		s.merge(path+"/finalize", `{}`)
		s.post(path+"/finalize", `{}`)
		s.delete(path, "")
		s.get(path)
		s.put(path+"/finalize", created.with("spec.finalizers", nil, "metadata.resourceVersion", nil))
		s.get(path)
		s.put(path+"/finalize", created.with("metadata.resourceVersion", nil))
	}},
	{name: "a namespace and both kinds of its finalizers", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		s.post("/api/v1/namespaces", `{"metadata":{"name":"a-$ns","finalizers":["example.org/a"]}}`)
		deleted := s.delete(path, "")
		finalized := s.put(path+"/finalize", deleted.with("spec.finalizers", nil))
		s.get(path)
		s.delete(path, "")
		s.get(path)
		s.put(path, finalized.with("metadata.finalizers", nil, "metadata.resourceVersion", nil))
		s.get(path)
	}},
	{name: "finalizers of a namespace that stays", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		created := s.post("/api/v1/namespaces", `{"metadata":{"name":"a-$ns"},"spec":{"finalizers":["example.org/a"]}}`)
		s.put(path, created.with("spec.finalizers", nil, "metadata.labels.n", "1"))
		s.put(path, created.with("spec.finalizers", []string{"example.org/b"}, "metadata.labels.n", "2", "metadata.resourceVersion", nil))
		s.put(path+"/finalize", created.with("spec.finalizers", nil, "metadata.resourceVersion", nil))
		s.get(path)
		s.delete(path, "")
		s.get(path)
		s.delete(path, "")
		s.get(path)
		for _, finalizer := range []string{"nope", "a b", "example.org/x"} {
			s.post("/api/v1/namespaces?dryRun=All", `{"metadata":{"name":"b-$ns"},"spec":{"finalizers":["`+finalizer+`"]}}`)
		}
	}},
	{name: "validation of the status of a namespace", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		s.post("/api/v1/namespaces", `{"metadata":{"name":"a-$ns"},"status":{"phase":"Terminating"}}`)
		for _, phase := range []string{"Active", "Terminating", "Nothing", ""} {
			s.merge(path+"/status", `{"status":{"phase":"`+phase+`"}}`)
			s.merge(path, `{"status":{"phase":"`+phase+`"}}`)
		}
		s.merge(path+"/status", `{"status":{"conditions":[{"type":"X","status":"True"}]}}`)
		s.merge(path+"/status", `{"status":null}`)
		s.delete(path, "")
		for _, phase := range []string{"Active", "Terminating", "Nothing"} {
			s.merge(path+"/status", `{"status":{"phase":"`+phase+`"}}`)
		}
	}},
	{name: "the label with the name of a namespace", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		created := s.post("/api/v1/namespaces", namespace("a-$ns", "kubernetes.io/metadata.name=other"))
		s.merge(path, `{"metadata":{"labels":{"kubernetes.io/metadata.name":"other"}}}`)
		s.merge(path, `{"metadata":{"labels":{"kubernetes.io/metadata.name":null}}}`)
		s.merge(path, `{"metadata":{"labels":null}}`)
		s.put(path, created.with("metadata.labels", map[string]string{"x": "y"}, "metadata.resourceVersion", nil))
		s.merge(path+"/status", `{"metadata":{"labels":{"kubernetes.io/metadata.name":"other","z":"z"}}}`)
		a, _ := s.send("POST", "/api/v1/namespaces?dryRun=All", `{"metadata":{"generateName":"gen-"}}`)
		labels, _ := lookup(a.doc, "metadata.labels").(map[string]any)
		s.note("the label of a generated name is the name", labels["kubernetes.io/metadata.name"] == a.str("metadata.name"))
	}},
	{name: "validation of a namespace", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		s.post("/api/v1/namespaces", namespace("a-$ns", ""))
		s.merge(path, `{"metadata":{"labels":{"a b":"v"}}}`)
		s.merge(path, `{"metadata":{"finalizers":["nope"]}}`)
		s.merge(path+"/status", `{"metadata":{"labels":{"a b":"v"}}}`)
		s.post("/api/v1/namespaces", `{"metadata":{"name":"b-$ns","namespace":"other"}}`)
		s.post("/api/v1/namespaces", `{"metadata":{"name":"B"},"spec":{"finalizers":["nope"]}}`)
		s.post("/api/v1/namespaces?dryRun=All", `{"metadata":{"name":"b-$ns"},"spec":"text"}`)
		s.post("/api/v1/namespaces?dryRun=All", `{"metadata":{"name":"b-$ns"},"spec":{"finalizers":"text"}}`)
		s.post("/api/v1/namespaces?dryRun=All&fieldValidation=Strict", `{"metadata":{"name":"b-$ns"},"spec":{"unknown":1}}`)
	}},
}
