package conformance_test

import "strings"

// noSchema says why fakeapi stores something that the real server refuses.
const noSchema = "it requires the schema of the kind"

const (
	mergePatch = "application/merge-patch+json"
	jsonPatch  = "application/json-patch+json"
)

// writeRows are updates and patches that succeed or lose a race.
var writeRows = []row{
	{name: "update", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "x=y", "v"))
		changed := s.put(path, created.with("data.k", "w", "metadata.labels", nil))
		s.put(path, created.with("data.k", "late"))
		s.put(path, changed.with("data.k", "x", "metadata.resourceVersion", nil)) // the last one wins
		s.put(path, changed.with("data.k", "y", "metadata.resourceVersion", nil, "metadata.uid", nil))
		s.put(path, changed.with("data.k", "z", "metadata.resourceVersion", "0"))
		s.put(path, changed.with("metadata.resourceVersion", "none"))
		s.put(path, configMap("a", "", "bare"))
		s.put(path, `{"metadata":{"name":"a"}}`)
		s.get(path)
	}},
	{name: "update that changes nothing", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "x=y", "v"))
		s.put(path, created.with())
		s.put(path, created.with("metadata.resourceVersion", nil))
		s.merge(path, `{"data":{"k":"v"}}`)
		s.merge(path, `{}`)
		s.merge(path, `{"data":{"none":null}}`)
		s.get(path)
	}},
	{name: "update of what the server owns", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "", "v"))
		s.put(path, created.with("metadata.creationTimestamp", "2001-01-01T00:00:00Z", "metadata.generation", 9, "data.k", "w", "metadata.resourceVersion", nil))
		s.put(path, created.with("metadata.uid", "00000000-0000-4000-8000-000000000000", "metadata.resourceVersion", nil))
		s.put(path, created.with("metadata.deletionTimestamp", "2001-01-01T00:00:00Z", "metadata.resourceVersion", nil))
		s.get(path)
	}},
	{name: "update that names another", run: func(s *script) {
		created := s.post(configMaps, configMap("a", "", "v"))
		s.put(configMaps+"/b", created.with())
		s.put(configMaps+"/a", created.with("metadata.namespace", "other"))
		s.put(configMaps+"/a", created.with("metadata.name", nil))
		s.put(configMaps+"/a", created.with("metadata.namespace", nil))
		s.put(configMaps+"/a", created.with("kind", "Secret", "data.k", "dg=="))
		s.put(configMaps+"/a", created.with("apiVersion", "v2"))
		s.put(configMaps+"/a", created.with("apiVersion", nil, "kind", nil))
	}},
	{name: "update of what is not there", run: func(s *script) {
		s.put(configMaps+"/a", configMap("a", "", "v"))
		s.put(configMaps+"/a", `{"metadata":{"name":"a","resourceVersion":"5"}}`)
		s.merge(configMaps+"/a", `{"data":{"k":"v"}}`)
		s.delete(configMaps+"/a", "")
		gone := s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a", "")
		s.put(configMaps+"/a", gone.with("data.k", "w"))
		s.post(configMaps, configMap("a", "", "v"))
		s.put(configMaps+"/a", gone.with("data.k", "w")) // another object of that name
		s.put(configMaps+"/a", gone.with("data.k", "w", "metadata.resourceVersion", nil))
	}},
	{name: "update that is meant for another object", run: func(s *script) {
		for _, object := range [][2]string{
			{configMaps, configMap("a", "", "v")},
			{secrets, secret("b")},
			{services, service("a")},
			{pods, pod("a", "", "")},
			{deployments, deployment("a")},
			{core + "serviceaccounts", `{"metadata":{"name":"a"}}`},
			{core + "endpoints", `{"metadata":{"name":"a"}}`},
			{core + "podtemplates", `{"metadata":{"name":"a"},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}`},
			{core + "limitranges", `{"metadata":{"name":"a"}}`},
			{core + "resourcequotas", `{"metadata":{"name":"a"}}`},
			{"/api/v1/nodes", `{"metadata":{"name":"a-$ns"}}`},
			{"/apis/coordination.k8s.io/v1/namespaces/$ns/leases", `{"metadata":{"name":"a"}}`},
			{"/apis/networking.k8s.io/v1/namespaces/$ns/networkpolicies", `{"metadata":{"name":"a"}}`},
			{"/apis/networking.k8s.io/v1/ingressclasses", `{"metadata":{"name":"a-$ns"},"spec":{"controller":"example.org/c"}}`},
			{roles, clusterRole("a-$ns", "")},
			{"/apis/storage.k8s.io/v1/csidrivers", `{"metadata":{"name":"a-$ns"}}`},
			{"/apis/discovery.k8s.io/v1/namespaces/$ns/endpointslices", `{"metadata":{"name":"a"},"addressType":"IPv4","endpoints":[]}`},
		} {
			created, _ := s.send("POST", object[0], object[1])
			name := created.str("metadata.name")
			a, _ := s.send("PUT", object[0]+"/"+name, created.with("metadata.uid", "u", "metadata.resourceVersion", nil))
			message, _, _ := strings.Cut(a.str("message"), "UID in object meta")
			s.note(object[0], strings.ReplaceAll(message, s.ns, "NS"))
		}
	}},
	{name: "immutable", run: func(s *script) {
		created := s.post(configMaps, configMap("a", "", "v"))
		s.put(configMaps+"/a", created.with("metadata.labels.x", "y"))
		s.put(configMaps+"/a", created.with("data.k", map[string]string{"a": "b"}))
	}},
	{name: "merge patch", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "x=y", "v"))
		s.merge(path, `{"data":{"k":null,"n":"1"},"metadata":{"labels":{"z":"z"},"annotations":{"a":"b"}}}`)
		s.merge(path, `{"metadata":{"labels":null}}`)
		s.merge(path, `{"metadata":{"resourceVersion":"`+created.rv()+`"},"data":{"n":"2"}}`)
		s.merge(path, `{"metadata":{"uid":"00000000-0000-4000-8000-000000000000"},"data":{"n":"2"}}`)
		s.merge(path, `{"metadata":{"name":"b"}}`)
		s.merge(path, `{"metadata":{"namespace":"b"}}`)
		s.merge(path, `[]`)
		s.merge(path, `{`)
		s.merge(path, `null`)
		s.get(path)
	}},
	{name: "merge patch to another type", lacks: noSchema, run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.merge(configMaps+"/a", `{"kind":"Secret"}`)
		s.merge(configMaps+"/a", `{"data":"text"}`)
		s.merge(configMaps+"/a", `{"data":{"n":1}}`)
		s.get(configMaps + "/a")
	}},
	{name: "merge patch replaces lists", run: func(s *script) {
		s.post(pods, pod("a", "", ""))
		s.merge(pods+"/a", `{"spec":{"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},`+
			`{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"more","operator":"Exists"}]}}`)
		s.merge(pods+"/a", `{"metadata":{"finalizers":["example.org/a"]}}`)
		s.merge(pods+"/a", `{"metadata":{"finalizers":[]}}`)
	}},
	jsonPatchRow, jsonPatchRefused, jsonPatchUnknown,
	{name: "server-side apply", lacks: noSchema, run: func(s *script) {
		const path = configMaps + "/a?fieldManager="
		apply := func(manager, data string) {
			s.patch(path+manager, "application/apply-patch+yaml", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{`+data+`}}`)
		}
		apply("one", `"x":"1","y":"1"`)
		apply("one", `"x":"1","y":"2"`)
		apply("two", `"x":"2"`) // it belongs to the other manager
		apply("two&force=true", `"x":"2"`)
		apply("one", ``)
		apply("", `"z":"1"`)
		s.get(configMaps + "/a")
	}},
	{name: "patch types", run: func(s *script) {
		const path = configMaps + "/a"
		s.post(configMaps, configMap("a", "", "v"))
		s.patch(path, mergePatch+"; charset=utf-8", `{"data":{"k":"w"}}`)
		s.patch(path, "application/json", `{"data":{"k":"x"}}`)
		s.patch(path, "text/plain", `{"data":{"k":"x"}}`)
		s.patch(path, "", `{"data":{"k":"x"}}`)
		s.patch(path, mergePatch, ``)
		s.merge(path+"?force=true", `{"data":{"k":"x"}}`)
		s.merge(path+"?fieldManager=me", `{"data":{"k":"y"}}`)
	}},
	{name: "unknown members", run: func(s *script) {
		const body = `{"metadata":{"name":"a","nope":1},"data":{"k":"v"},"unknown":{"deep":true}}`
		s.post(configMaps, body)
		s.post(configMaps+"?fieldValidation=Ignore", `{"metadata":{"name":"b"},"unknown":1}`)
		s.post(configMaps+"?fieldValidation=Strict", `{"metadata":{"name":"c"},"unknown":1,"data":{"k":"v","k":"w"}}`)
		s.post(configMaps+"?fieldValidation=Loose", `{"metadata":{"name":"c"}}`)
		s.put(configMaps+"/a", body)
		s.merge(configMaps+"/a", `{"unknown":1,"data":{"k":"z"}}`)
		s.get(configMaps + "/a")
	}},
	{name: "members with other case", run: func(s *script) {
		s.post(configMaps, `{"Metadata":{"name":"b"},"metadata":{"name":"a"},"Data":{"k":"v"}}`)
		s.get(configMaps + "/a")
	}},
}
