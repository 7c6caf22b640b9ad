package conformance_test

import (
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

// refusalRows are requests that the server refuses.
var refusalRows = []row{
	{name: "400 bodies", run: func(s *script) {
		s.post(configMaps, `{`)
		s.post(configMaps, `{"metadata":{"name":"a"}} {}`)
		s.post(configMaps, `"text"`)
		s.post(configMaps, `[]`)
		s.post(configMaps, ``)
		s.post(configMaps, ``, header("Content-Type", "application/json"))
		s.post(configMaps, `{"metadata":"text"}`)
		s.post(configMaps, `{"metadata":{"name":7}}`)
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"x":1}}}`)
		s.post(configMaps, `{"metadata":{"name":"a"},"data":["k"]}`)
	}},
	{name: "400 wrong type deep inside", lacks: noSchema, run: func(s *script) {
		s.post(pods, `{"metadata":{"name":"a"},"spec":{"containers":{}}}`)
	}},
	{name: "400 body of another kind", run: func(s *script) {
		s.post(configMaps, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}}`)
		s.post(configMaps, `{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"a"}}`)
		s.post(configMaps, `{"kind":"ConfigMap","apiVersion":"apps/v1","metadata":{"name":"a"}}`)
		s.post(configMaps, `{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`)
		s.post(configMaps, `{"kind":"Nothing","apiVersion":"example.org/v1","metadata":{"name":"a"}}`)
		s.post(configMaps, `{"kind":"ConfigMap","metadata":{"name":"a"}}`)
		s.post(configMaps, `{"apiVersion":"v1","metadata":{"name":"b"}}`)
	}},
	{name: "400 another namespace", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","namespace":"other"}}`)
		s.post("/api/v1/configmaps", configMap("a", "", "v"))
		s.post("/api/v1/configmaps", `{"metadata":{"name":"a","namespace":"$ns"}}`)
	}},
	{name: "400 delete options", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a", `{`)
		s.delete(configMaps+"/a", `{"kind":"Pod","apiVersion":"v1"}`)
		s.delete(configMaps+"/a", `{"gracePeriodSeconds":"soon"}`)
		s.delete(configMaps+"/a?gracePeriodSeconds=soon", "")
		s.delete(configMaps+"/a", `{"kind":"DeleteOptions","apiVersion":"v1","unknown":1}`)
		s.get(configMaps + "/a")
	}},
	{name: "401 and 403", run: func(s *script) {
		nobody, stranger := as(conformance.NobodyToken), as("no-such-token")
		s.post(configMaps, configMap("a", "", "v"))
		for _, who := range []option{nobody, stranger, anonymous} {
			s.get(configMaps+"/a", who)
			s.get(configMaps, who)
			s.get("/api/v1/configmaps", who)
			s.get(configMaps+"?watch=true", who)
			s.post(configMaps, configMap("b", "", "v"), who)
			s.put(configMaps+"/a", configMap("a", "", "v"), who)
			s.merge(configMaps+"/a", `{}`, who)
			s.delete(configMaps+"/a", "", who)
			s.delete(configMaps, "", who)
			s.get("/api/v1/namespaces/$ns", who)
			s.get(deployments+"/a/status", who)
			s.get("/apis/example.org/v1/namespaces/$ns/things", who)
			s.get("/none", who)
		}
	}},
	{name: "404 objects", run: func(s *script) {
		s.get(configMaps + "/none")
		s.get(deployments + "/none")
		s.get("/api/v1/namespaces/none-$ns")
		s.get(roles + "/none-$ns")
		s.get("/api/v1/namespaces/none-$ns/configmaps/none")
		s.get("/api/v1/namespaces/none-$ns/configmaps")
		s.post("/api/v1/namespaces/none-$ns/configmaps", configMap("a", "", "v"))
		s.delete("/api/v1/namespaces/none-$ns/configmaps/none", "")
		s.delete("/api/v1/namespaces/none-$ns", "")
		s.merge(deployments+"/none", `{}`)
	}},
	{name: "404 types", run: func(s *script) {
		for _, path := range []string{
			core + "things", core + "things/a", "/api/v1/things", "/api/v2/pods", "/apis/example.org/v1/things", "/apis/apps/v2/deployments",
			"/apis/apps/v1/namespaces/$ns/things", "/none", core + "configmaps/a/b/c", core + "configmaps/a/none", core + "configmaps/a/status",
			"/api/v1/namespaces/$ns/clusterroles", "/apis/rbac.authorization.k8s.io/v1/namespaces/$ns/clusterroles", "/apis/apps/v1/pods",
		} {
			s.get(path)
		}
		s.post(core+"things", `{"metadata":{"name":"a"}}`)
		s.put("/apis/example.org/v1/namespaces/$ns/things/a", `{"metadata":{"name":"a"}}`)
	}},
	{name: "405", run: func(s *script) {
		s.put(configMaps, configMap("a", "", "v"))
		s.merge(configMaps, `{}`)
		s.post(configMaps+"/a", configMap("a", "", "v"))
		s.delete("/api/v1/namespaces", "")
		s.delete("/api/v1/configmaps", "")
		s.post(deployments+"/a/status", "{}")
		s.delete(deployments+"/a/status", "")
		s.do("OPTIONS", configMaps, "")
		s.post("/version", "{}")
		s.delete("/api", "")
	}},
	{name: "406", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		for _, accept := range []string{
			"text/plain", "application/xml", "text/html, application/xml;q=0.9", "*/*", "application/*", "application/json;charset=utf-8",
			"text/plain, application/json;q=0.1", "application/json;q=0", "application/json;as=Nothing;g=meta.k8s.io;v=v1",
			"nonsense",
		} {
			s.get(configMaps+"/a", header("Accept", accept))
		}
		s.get(configMaps+"?watch=true", header("Accept", "text/plain"))
		s.post(configMaps, configMap("b", "", "v"), header("Accept", "text/plain"))
		s.get(configMaps + "/b")
	}},
	{name: "409 exists", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps, configMap("a", "", "w"))
		s.post(deployments, deployment("a"))
		s.post(deployments, deployment("a"))
		s.post("/api/v1/namespaces", namespace("$ns", ""))
		s.post(roles, clusterRole("a-$ns", ""))
		s.post(roles, clusterRole("a-$ns", ""))
	}},
	{name: "413", run: func(s *script) {
		s.post(configMaps, configMap("a", "", strings.Repeat("0123456789", 320_000)))
	}},
	{name: "large object", run: func(s *script) {
		s.post(configMaps, configMap("a", "", strings.Repeat("0123456789", 90_000)))
	}},
	{name: "large object of a kind with a limit", run: func(s *script) {
		s.post(configMaps, configMap("a", "", strings.Repeat("0123456789", 110_000)))
	}},
	{name: "415", run: func(s *script) {
		for _, contentType := range []string{"text/plain", "application/xml", "application/merge-patch+json", "application/jsonn", "nonsense"} {
			s.post(configMaps, configMap("a", "", "v"), header("Content-Type", contentType))
		}
		s.post(configMaps, configMap("a", "", "v"), header("Content-Type", "application/json; charset=utf-8"))
		s.put(configMaps+"/a", configMap("a", "", "v"), header("Content-Type", "text/plain"))
		s.delete(configMaps+"/a", `{}`, header("Content-Type", "text/plain"))
		s.patch(configMaps+"/a", "text/plain", `{}`)
	}},
	{name: "body without a content type", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"), func(r *http.Request) { r.Header.Del("Content-Type") })
	}},
	{name: "YAML", lacks: "YAML is answered with 501 and 406", run: func(s *script) {
		s.post(configMaps, "metadata:\n  name: a\ndata:\n  k: v\n", header("Content-Type", "application/yaml"))
		a, headers := s.send("GET", configMaps+"/a", "", header("Accept", "application/yaml"))
		s.log = append(s.log, exchange{Request: "GET as YAML", Code: a.code, Header: headers})
	}},
	{name: "422 names", run: func(s *script) {
		for _, name := range []string{"A", "a_b", "-a", "a-", "a..b", strings.Repeat("a", 254), "a/b", "..", "ü"} {
			s.post(configMaps, configMap(name, "", "v"))
		}
		s.post(services, service("a.b"))
		s.post(services, service("1a"))
		s.post("/api/v1/namespaces", namespace("a.b", ""))
		s.post("/api/v1/namespaces", namespace(strings.Repeat("a", 64), ""))
		s.post(roles, clusterRole("system:a:$ns", ""))
		s.post(roles, clusterRole("a%b", ""))
	}},
	{name: "422 metadata", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"bad key":"v"}}}`)
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"k":"bad value"}}}`)
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"k":"`+strings.Repeat("v", 64)+`"}}}`)
		s.post(configMaps, `{"metadata":{"name":"a","labels":{"UPPER/x":"y"}}}`)
		s.post(configMaps, `{"metadata":{"name":"a","annotations":{"bad key":"v"}}}`)
		s.post(configMaps, `{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p"}]}}`)
		s.post(configMaps, `{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},`+
			`{"apiVersion":"v1","kind":"Pod","name":"q","uid":"w","controller":true}]}}`)
		s.post(configMaps, `{"metadata":{"name":"a","generation":-1}}`)
	}},
	{name: "422 specs", lacks: noSchema, run: func(s *script) {
		s.post(pods, `{"metadata":{"name":"a"},"spec":{"containers":[]}}`)
		s.post(pods, `{"metadata":{"name":"a"}}`)
		s.post(deployments, `{"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"c"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)
		s.post(configMaps, `{"metadata":{"name":"a"},"data":{"bad key":"v"}}`)
	}},
}
