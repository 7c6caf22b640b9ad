package conformance_test

import "strings"

// optionRows are the options of writes: dry runs, the name of a manager, what is said of unknown
// members, and how things are deleted.
var optionRows = []row{
	{name: "dry run of every write", run: func(s *script) {
		const all = "?dryRun=All"
		s.post(configMaps+all, `{"metadata":{"generateName":"gen-"},"data":{"k":"v"}}`)
		s.get(configMaps)
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"x":"y"},"finalizers":["example.org/a"]},"data":{"k":"v"}}`)
		s.delete(configMaps+"/a"+all, "")
		s.delete(configMaps+"/a", `{"dryRun":["All"],"propagationPolicy":"Foreground"}`)
		s.delete(configMaps+"/a", `{"dryRun":["All"],"preconditions":{"resourceVersion":"1"}}`)
		s.merge(configMaps+"/a"+all, `{"metadata":{"finalizers":null}}`)
		s.post(configMaps, configMap("b", "x=y", "v"))
		s.delete(configMaps+all+"&labelSelector=x%3Dy", "")
		s.delete(configMaps+"?labelSelector=x%3Dy", `{"dryRun":["All"]}`)
		s.get(configMaps)
		s.delete(configMaps+"/a", "")
		s.merge(configMaps+"/a"+all, `{"metadata":{"finalizers":null}}`) // would be the end
		s.get(configMaps + "/a")
		s.post(pods, pod("a", "", "node1"))
		s.delete(pods+"/a"+all, "")
		s.delete(pods+"/a"+all+"&gracePeriodSeconds=0", "")
		s.get(pods + "/a")
		created := s.post(deployments, deployment("a"))
		s.merge(deployments+"/a"+all, `{"spec":{"replicas":3}}`)
		s.merge(deployments+"/a/status"+all, `{"status":{"replicas":3}}`)
		s.put(deployments+"/a"+all, created.with("spec.replicas", 4))
		s.put(deployments+"/a/status"+all, created.with("status.replicas", 4))
		s.get(deployments + "/a")
		s.delete("/api/v1/namespaces/$ns"+all, "")
		s.post(configMaps+"?dryRun=All&dryRun=All", configMap("c", "", "v"))
		s.post(configMaps+"?dryRun=all", configMap("c", "", "v"))
		s.post(configMaps+"?dryRun=All&dryRun=Some", configMap("c", "", "v"))
		s.post(configMaps+"?dryRun=", configMap("c", "", "v"))
		s.delete(configMaps+"/b", `{"dryRun":["Some"]}`)
		s.delete(configMaps+"/b", `{"dryRun":"All"}`)
		s.merge(configMaps+"/b?dryRun=Some", `{}`)
		s.get(configMaps + "/b")
	}},
	{name: "field manager", run: func(s *script) {
		s.post(configMaps+"?fieldManager=me", configMap("a", "", "v"))
		s.merge(configMaps+"/a?fieldManager=me", `{"data":{"k":"w"}}`)
		s.put(configMaps+"/a?fieldManager=me", configMap("a", "", "x"))
		s.post(configMaps+"?fieldManager="+strings.Repeat("m", 128), configMap("b", "", "v"))
		s.post(configMaps+"?fieldManager="+strings.Repeat("m", 129), configMap("c", "", "v"))
		s.put(configMaps+"/a?fieldManager="+strings.Repeat("m", 129), configMap("a", "", "v"))
		s.merge(configMaps+"/a?fieldManager="+strings.Repeat("m", 129), `{}`)
		s.merge(configMaps+"/a?fieldManager=a%07b%0Ac", `{}`)
		s.post(configMaps+"?fieldManager=a%07&dryRun=Some&fieldValidation=Loose", configMap("c", "", "v"))
		s.merge(configMaps+"/a?fieldManager=a%07&dryRun=Some&fieldValidation=Loose&force=true", `{}`)
	}},
	{name: "field validation of every write", run: func(s *script) {
		const body = `{"metadata":{"name":"a","more":1},"data":{"k":"v","k":"w"},"unknown":1}`
		for _, v := range []string{"Ignore", "Warn", "Strict", ""} {
			s.post(configMaps+"?fieldValidation="+v, body)
			s.put(configMaps+"/a?fieldValidation="+v, body)
			s.delete(configMaps+"/a", "")
		}
		s.post(configMaps, configMap("a", "", "v"))
		s.merge(configMaps+"/a?fieldValidation=Warn", `{"unknown":1,"data":{"k":"v","k":"w"}}`)
		s.merge(configMaps+"/a?fieldValidation=Ignore", `{"unknown":1,"data":{"k":"v","k":"x"}}`)
		s.merge(configMaps+"/a?fieldValidation=Strict", `{"data":{"k":"y"}}`)
		s.merge(configMaps+"/a?fieldValidation=", `{"unknown":1}`)
	}},
	{name: "delete by parameters", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a?orphanDependents=true", "")
		s.get(configMaps + "/a")
		s.delete(configMaps+"/a?orphanDependents=false", "")
		s.post(configMaps, configMap("b", "", "v"))
		s.delete(configMaps+"/b?propagationPolicy=Foreground&orphanDependents=true", "")
		s.delete(configMaps+"/b?propagationPolicy=Never", "")
		s.delete(configMaps+"/b?gracePeriodSeconds=x", "")
		s.delete(configMaps+"/b?propagationPolicy=Orphan", `{"propagationPolicy":"Foreground"}`) // the body counts
		s.merge(configMaps+"/b", `{"metadata":{"finalizers":[]}}`)
		s.get(configMaps + "/b")
		s.post(configMaps, configMap("c", "", "v"))
		s.delete(configMaps+"/c", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`)
		s.delete(configMaps+"/c", `{"kind":"DeleteOptions","apiVersion":"v1"}`)
	}},
	{name: "propagation with other finalizers", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["example.org/a"]}}`)
		s.delete(configMaps+"/a", `{"propagationPolicy":"Foreground"}`)
		s.delete(configMaps+"/a", `{"propagationPolicy":"Background"}`)
		s.merge(configMaps+"/a", `{"metadata":{"finalizers":["foregroundDeletion"]}}`)
		s.merge(configMaps+"/a", `{"metadata":{"finalizers":null}}`)
		s.get(configMaps + "/a")
		s.post(configMaps, `{"metadata":{"name":"b","finalizers":["orphan","example.org/a"]}}`)
		s.delete(configMaps+"/b", "")
		s.patch(configMaps+"/b", strategy, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["orphan"]}}`)
		s.patch(configMaps+"/b", jsonPatch, `[{"op":"remove","path":"/metadata/finalizers/0"}]`)
		s.get(configMaps + "/b")
	}},
	{name: "delete a collection by options", run: func(s *script) {
		for _, name := range []string{"a", "b", "c", "d"} {
			s.post(configMaps, configMap(name, "x="+name, "v"))
		}
		s.delete(configMaps+"?fieldSelector=metadata.name%3Da", "")
		s.delete(configMaps+"?labelSelector=x%3D", "")
		s.delete(configMaps+"?labelSelector=%3D%3D", "")
		s.delete(configMaps+"?fieldSelector=data.k%3Dv", "")
		s.delete(configMaps, `{"preconditions":{"resourceVersion":"1"}}`)
		s.delete(configMaps, `{"preconditions":{"uid":"00000000-0000-4000-8000-000000000000"}}`)
		s.delete(configMaps, `{"propagationPolicy":"Never"}`)
		s.names(configMaps)
		s.delete(configMaps, `{"propagationPolicy":"Orphan"}`)
		s.get(configMaps)
		s.post(pods, pod("a", "x=1", "node1"))
		s.post(pods, pod("b", "x=1", ""))
		s.delete(pods+"?labelSelector=x%3D1&gracePeriodSeconds=5", "")
		s.get(pods)
		s.delete(pods, `{"gracePeriodSeconds":0}`)
		s.get(pods)
		s.delete(pods, "")
		s.define()
		s.post(widgets, widget("a"))
		s.delete(widgets, "")
		s.get(widgets)
		s.delete("/api/v1/configmaps", "")
		s.delete("/api/v1/namespaces", "")
	}},
}
