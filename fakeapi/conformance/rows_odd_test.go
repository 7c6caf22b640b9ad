package conformance_test

import (
	"net/url"
	"strings"
)

// oddRows are requests that no careful client sends: their parameters and bodies are read as the
// real server reads them, down to nulls and empty values.
var oddRows = []row{
	{name: "odd parameters of lists and watches", run: func(s *script) {
		s.post(configMaps, configMap("a", "x=a", "v"))
		for _, query := range []string{
			"limit=", "limit=-1", "limit=1&limit=x", "timeoutSeconds=", "timeoutSeconds=-1", "resourceVersion=00",
			"watch=true&timeoutSeconds=", "watch=true&limit=",
		} {
			s.names(configMaps + "?" + query)
		}
		for _, selector := range []string{
			"=", "==", "!=", "=,metadata.name=a", "metadata.name=b,!=", "=a", `metadata.name=a\`, `metadata.name=a\b`, `metadata.name=a\,`, `metadata.name=a\\`, "metadata.name==a=b", "metadata.name!==a", "z,metadata.name=a=b",
		} {
			s.get(configMaps + "?fieldSelector=" + url.QueryEscape(selector))
		}
		for _, selector := range []string{"x gt 1", "x lt 1", "x gt", "x > gt"} {
			s.get(configMaps + "?labelSelector=" + url.QueryEscape(selector))
		}
	}},
	{name: "odd deletes", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["example.org/a"]}}`)
		for _, body := range []string{
			`{"propagationPolicy":""}`, `{"propagationPolicy":"","orphanDependents":true}`, `{"propagationPolicy":1}`, `{"preconditions":[]}`, `{"preconditions":{"uid":1}}`, `{"preconditions":{"resourceVersion":1}}`,
			`{"kind":"Status","apiVersion":"v1"}`, `{"kind":"Status","apiVersion":"apps/v1"}`, `{"ignoreStoreReadErrorWithClusterBreakingPotential":"x"}`,
		} {
			s.delete(configMaps+"/a?dryRun=All", body)
			s.delete(configMaps+"?labelSelector=none", body)
			s.post(pods+"/none/eviction", `{"metadata":{"name":"none"},"deleteOptions":`+body+`}`)
		}
		for _, options := range []string{`[]`, `"x"`, `{"kind":1}`, `{"gracePeriodSeconds":1e3}`, `{"dryRun":[1]}`, `{"unknown":1}`, `{"preconditions":{"unknown":1}}`} {
			s.post(pods+"/none/eviction", `{"metadata":{"name":"none"},"deleteOptions":`+options+`}`)
		}
		for _, others := range []string{`"propagationPolicy":"Orphan"`, `"orphanDependents":false`, `"gracePeriodSeconds":0`, `"preconditions":{}`, `"dryRun":["All"]`} {
			s.delete(configMaps+"/a", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,`+others+`}`)
			s.delete(configMaps+"/none", `{"ignoreStoreReadErrorWithClusterBreakingPotential":true,`+others+`}`)
		}
		s.delete("/apis/batch/v1/namespaces/$ns/jobs", "")
		s.delete("/apis/batch/v1/namespaces/$ns/jobs?propagationPolicy=Background", "")
		s.put(configMaps+"/a?dryRun=All", `{"metadata":{"name":"a","uid":"x"}}`)
		s.put(configMaps+"/new?dryRun=All", `{"metadata":{"name":"new","uid":"x"}}`)
		s.put("/apis/coordination.k8s.io/v1/namespaces/$ns/leases/new?dryRun=All", `{"metadata":{"name":"new","uid":"x"}}`)
		for _, query := range []string{
			"gracePeriodSeconds=", "propagationPolicy=", "resourceVersion=x", "limit=x", "continue=x", "resourceVersionMatch=Exact", "timeoutSeconds=x", "sendInitialEvents=true", "limit=-1",
			"ignoreStoreReadErrorWithClusterBreakingPotential=true", "fieldSelector=x", "limit=x&propagationPolicy=",
		} {
			s.delete(configMaps+"/none?"+query, "")
			s.delete(configMaps+"?labelSelector=none&"+query, "")
		}
	}},
	{name: "deletes of a page", run: func(s *script) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			s.post(configMaps, configMap(name, "", "v"))
		}
		page := s.delete(configMaps+"?limit=2", "")
		s.names(configMaps)
		s.delete(configMaps+"?limit=1&continue="+page.str("metadata.continue"), "")
		s.names(configMaps)
		s.delete(configMaps+"?resourceVersion="+page.rv()+"&resourceVersionMatch=Exact", `{"dryRun":["All"]}`)
		s.delete(configMaps+"?limit=9", "")
		s.names(configMaps)
	}},
	{name: "odd bodies", run: func(s *script) {
		for _, body := range []string{
			`null`, ` null `, `{"kind":"ConfigMap","apiVersion":"v1/","metadata":{"name":"a"}}`, `{"kind":"ConfigMap","apiVersion":"a/b/c","metadata":{"name":"a"}}`, `{"kind":"ConfigMap","apiVersion":"/v1","metadata":{"name":"a"}}`,
			`{"kind":"Status","apiVersion":"v1"}`, `{"kind":"List","apiVersion":"v1","items":[]}`, `{"kind":"DeleteOptions","apiVersion":"v1"}`, `{"kind":"APIGroup","apiVersion":"x/y"}`, `{"kind":"WatchEvent","apiVersion":"v1"}`,
			strings.Repeat("[", 12000), `{"metadata":{"name":"a"},"unknown":null}`, `{"metadata":{"name":"a","finalizers":[null]}}`, `{"metadata":{"name":"a","uid":1}}`,
			`{"metadata":{"name":"a","ownerReferences":{}}}`, `{"metadata":{"name":"a","ownerReferences":[1]}}`, `{"metadata":{"name":"a","ownerReferences":[{"controller":"x","uid":1}]}}`,
			`{"metadata":{"name":"a"},"binaryData":{"k":"dg==\n","l":[1,2,3],"m":null,"n":[256]}}`, `{"metadata":{"name":"a"},"binaryData":{"k":"d\r\ng==\n","l":[1,2,3],"m":null,"n":[]}}`,
			`{"metadata":{"name":"a","labels":{"a":"b"}},"data":{"k":"v","l":"v"},"data":{"l":"w","m":"w"},"metadata":{"labels":{"c":"d"}}}`, `{"metadata":{"name":"a"},"data":{"k":"v"},"data":null}`,
		} {
			s.post(configMaps+"?dryRun=All", body)
		}
		s.post(configMaps+"?dryRun=All&fieldValidation=Strict", `{"metadata":{"name":"a"},"unknown":null}`)
		s.post(secrets+"?dryRun=All", `{"metadata":{"name":"a"},"data":{"k":"dg==\n","l":[1,2,3],"m":null}}`)
		s.post("/api/v1/namespaces?dryRun=All", `{"metadata":{"name":"a-$ns"},"spec":{"finalizers":[null]}}`)
		s.define()
		s.post(widgets, `null`)
		s.put(configMaps+"/a", `null`)
	}},
	{name: "odd deletes of pods", run: func(s *script) {
		s.post(pods, pod("a", "", "node1"))
		for _, seconds := range []string{"10", "-3", "0"} {
			s.delete(pods+"/a", `{"gracePeriodSeconds":`+seconds+`}`)
		}
		s.get(pods + "/a")
		s.post(pods, pod("a", "", ""))
		for _, body := range []string{
			`"apiVersion":"policy/v1beta1","kind":"Eviction"`, `"apiVersion":"policy/v1beta2","kind":"Eviction"`, `"apiVersion":"policy/v1beta1"`, `"deleteOptions":{"dryRun":["x"]}`, `"deleteOptions":{"dryRun":["All","All"]}`,
			`"deleteOptions":{"propagationPolicy":"x","dryRun":["All"]}`, `"deleteOptions":{"propagationPolicy":"","dryRun":["All"]}`,
		} {
			s.post(pods+"/a/eviction?dryRun=All", `{"metadata":{"name":"a"},`+body+`}`)
			s.post(pods+"/none/eviction", `{"metadata":{"name":"none"},`+body+`}`)
		}
		s.post(pods+"/a/eviction", `{"metadata":{"name":"a"},"deleteOptions":{"dryRun":["x"]}}`)
		for _, version := range []string{"x", "-1", "0", "1"} {
			s.put("/apis/coordination.k8s.io/v1/namespaces/$ns/leases/a", `{"metadata":{"name":"a","resourceVersion":"`+version+`"}}`)
			s.delete("/apis/coordination.k8s.io/v1/namespaces/$ns/leases/a", "")
		}
	}},
	{name: "odd namespaces", run: func(s *script) {
		const path = "/api/v1/namespaces/a-$ns"
		s.post("/api/v1/namespaces", namespace("a-$ns", ""))
		for _, status := range []string{
			`{"conditions":{}}`, `{"conditions":[1]}`, `{"conditions":[{"type":1}]}`, `{"conditions":[{"status":[]}]}`, `{"conditions":[{"lastTransitionTime":"x"}]}`, `{"conditions":[{"type":"A"}]}`,
			`{"conditions":[{"status":"Maybe","unknown":1}]}`, `{"phase":1}`, `null`,
		} {
			s.post("/api/v1/namespaces?dryRun=All", `{"metadata":{"name":"b-$ns"},"status":`+status+`}`)
			s.merge(path+"/status?dryRun=All", `{"status":`+status+`}`)
			s.patch(path+"/status?dryRun=All", "application/strategic-merge-patch+json", `{"status":`+status+`}`)
		}
		s.patch(path+"?dryRun=All", "application/strategic-merge-patch+json", `{"spec":{"finalizers":[1]}}`)
		s.put(path+"?dryRun=All", `{"metadata":{"name":"a-$ns","uid":"x"}}`)
		s.put(path, `{"metadata":{"name":"a-$ns","uid":"x"}}`)
		s.delete(path, "")
		for _, status := range []string{`null`, `{"phase":null}`, `{"phase":""}`} {
			s.merge(path+"/status?dryRun=All", `{"status":`+status+`}`)
		}
	}},
	{name: "odd patches", run: func(s *script) {
		s.post(configMaps, configMap("a", "l=1", "v"))
		for _, body := range []string{
			`{"kind":1}`, `{"apiVersion":[]}`, `{"metadata":{"finalizers":{}}}`, `{"metadata":{"finalizers":[null]}}`, `{"metadata":{"labels":[]}}`, `{"data":[]}`, `{"data":{}}`, `{"unknown":null}`, `{"metadata":{"ownerReferences":[1]}}`,
		} {
			s.merge(configMaps+"/a?dryRun=All", body)
			s.patch(configMaps+"/a?dryRun=All", "application/strategic-merge-patch+json", body)
		}
		s.patch(configMaps+"/a?dryRun=All", jsonPatch, `[{"op":"add","path":"/a"}]`)
		s.patch(configMaps+"/a?dryRun=All", jsonPatch, `[{"op":"replace","path":"/kind","value":1}]`)
		for _, contentType := range []string{
			"application/MERGE-PATCH+json", "application/merge-patch+json,application/json", "text/plain, application/merge-patch+json", "application/merge-patch+json ;charset=utf-8", "application/merge-patch+json;", "a/b/c", ";",
		} {
			s.patch(configMaps+"/a", contentType, `{}`)
		}
	}},
	{name: "odd Accept headers", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		for _, accept := range []string{
			"application/JSON", "application/json;as=;g=;v=", "application/json;stream=x", "application/json;stream=watch", "application/json;foo", "application/json;as=Nothing", "application/json ; pretty=0", "*/*;stream=x",
		} {
			s.get(configMaps+"/a", header("Accept", accept))
			s.get(configMaps+"?limit=1", header("Accept", accept))
			s.delete(configMaps+"/none", "", header("Accept", accept))
		}
	}},
}
