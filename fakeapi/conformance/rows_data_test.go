package conformance_test

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// dataRows are the branches of the validation of ConfigMaps and Secrets.
var dataRows = []row{
	{name: "validation of a ConfigMap", run: func(s *script) {
		kilobyte := strings.Repeat("v", 1024)
		s.post(configMaps, configMap("a", "", "v"))
		for _, content := range []string{
			`"data":{"":"v"}`, `"data":{".":"v"}`, `"data":{"..":"v"}`, `"data":{"..a":"v"}`, `"data":{".a":"v"}`, `"data":{"a/b":"v"}`, `"data":{"` + strings.Repeat("k", 253) + `":"v"}`,
			`"data":{"` + strings.Repeat("k", 254) + `":"v"}`, `"data":{"ü":"v"}`, `"binaryData":{"a b":"dg=="}`, `"binaryData":{"k":"dg=="}`, `"binaryData":{"n":"dg=="}`,
			`"data":{"k":"v"},"binaryData":{"k":"dg=="}`, `"data":{"a b":"v"},"binaryData":{"a b":"dg=="}`, `"binaryData":{"k":"not base64"}`, `"binaryData":{"k":7}`, `"binaryData":["k"]`,
			`"immutable":"yes"`, `"immutable":false`, `"binaryData":{"n":null}`, `"data":{"n":null}`, `"data":{"n":"` + strings.Repeat(kilobyte, 1024) + `"}`,
			`"binaryData":{"n":"` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(kilobyte, 1024))) + `"}`,
			`"binaryData":{"n":"` + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(kilobyte, 1024)+"v")) + `"}`,
		} {
			s.merge(configMaps+"/a?dryRun=All", `{`+content+`}`)
			s.post(configMaps+"?dryRun=All", `{"metadata":{"name":"b"},`+content+`}`)
		}
	}},
	{name: "immutable ConfigMap", run: func(s *script) {
		immutable(s, configMaps, `{"metadata":{"name":"a"},"data":{"k":"v"},"binaryData":{"b":"dg=="},"immutable":true}`,
			`"data":{"k":"w"}`, `"data":{"n":"w"}`, `"data":{"k":null}`, `"data":null`, `"data":{"k":"v"}`, `"binaryData":{"b":"dw=="}`, `"binaryData":null`, `"immutable":false`, `"immutable":null`,
			`"immutable":false,"data":{"k":"w"},"binaryData":null`, `"immutable":true`, `"metadata":{"labels":{"x":"y"}}`, `"metadata":{"labels":{"a b":"y"}},"data":null`)
	}},
	{name: "immutable Secret", run: func(s *script) {
		immutable(s, secrets, `{"metadata":{"name":"a"},"data":{"k":"dg=="},"immutable":true,"type":"example.org/t"}`,
			`"data":{"k":"dw=="}`, `"data":{"n":"dw=="}`, `"data":{"k":null}`, `"data":null`, `"data":{"k":"dg=="}`, `"stringData":{"k":"w"}`, `"stringData":{"k":"v"}`, `"stringData":{"n":"v"}`,
			`"immutable":false`, `"immutable":null`, `"immutable":false,"data":null,"type":"Opaque"`, `"immutable":true`, `"type":"Opaque"`, `"type":null`, `"metadata":{"labels":{"x":"y"}}`)
	}},
	{name: "type of a Secret", run: func(s *script) {
		created := s.post(secrets, secret("a"))
		s.put(secrets+"/a", created.with("type", "example.org/t"))
		s.put(secrets+"/a", created.with("type", nil))
		s.merge(secrets+"/a", `{"type":"kubernetes.io/tls"}`)
		s.merge(secrets+"/a", `{"type":null}`)
		s.merge(secrets+"/a", `{"type":""}`)
		s.post(secrets, `{"metadata":{"name":"b"},"data":{"k":"dg=="},"type":"anything at all"}`)
		s.put(secrets+"/b", `{"metadata":{"name":"b"},"data":{"k":"dg=="}}`)
	}},
	{name: "keys that the type of a Secret requires", run: func(s *script) {
		encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
		for i, c := range []struct{ kind, data string }{
			{"kubernetes.io/service-account-token", ``},
			{"kubernetes.io/dockercfg", ``},
			{"kubernetes.io/dockercfg", `".dockercfg":"` + encoded("text") + `"`},
			{"kubernetes.io/dockercfg", `".dockercfg":"` + encoded("[]") + `"`},
			{"kubernetes.io/dockercfg", `".dockercfg":""`},
			{"kubernetes.io/dockercfg", `".dockercfg":"` + encoded("{}") + `"`},
			{"kubernetes.io/dockercfg", `".dockercfg":"` + encoded("{} {}") + `"`},
			{"kubernetes.io/dockerconfigjson", ``},
			{"kubernetes.io/dockerconfigjson", `".dockerconfigjson":"` + encoded("text") + `"`},
			{"kubernetes.io/dockerconfigjson", `".dockerconfigjson":"` + encoded("null") + `"`},
			{"kubernetes.io/dockerconfigjson", `".dockerconfigjson":"` + encoded(`{"auths":{}}`) + `"`},
			{"kubernetes.io/basic-auth", ``},
			{"kubernetes.io/basic-auth", `"username":""`},
			{"kubernetes.io/basic-auth", `"password":"dg=="`},
			{"kubernetes.io/ssh-auth", ``},
			{"kubernetes.io/ssh-auth", `"ssh-privatekey":""`},
			{"kubernetes.io/ssh-auth", `"ssh-privatekey":"dg=="`},
			{"kubernetes.io/tls", ``},
			{"kubernetes.io/tls", `"tls.crt":"dg=="`},
			{"kubernetes.io/tls", `"tls.crt":"","tls.key":""`},
			{"kubernetes.io/tls", `"tls.crt":"dg==","tls.key":"dg=="`},
			{"bootstrap.kubernetes.io/token", ``},
			{"Opaque", ``},
		} {
			body := fmt.Sprintf(`{"metadata":{"name":"a-%d"},"data":{%s},"type":%q}`, i, c.data, c.kind)
			s.post(secrets, body)
			s.merge(fmt.Sprintf("%s/a-%d", secrets, i), `{"data":null}`)
			s.merge(fmt.Sprintf("%s/a-%d", secrets, i), `{"metadata":{"labels":{"x":"y"}}}`)
		}
		for _, name := range []string{"", "default"} {
			s.post(secrets, `{"metadata":{"name":"sa-`+name+`x","annotations":{"kubernetes.io/service-account.name":"`+name+`"}},"type":"kubernetes.io/service-account-token"}`)
		}
	}},
	{name: "validation of a Secret", run: func(s *script) {
		megabyte := strings.Repeat("v", 1<<20)
		s.post(secrets, secret("a"))
		for _, content := range []string{
			`"data":{"a b":"dg=="}`, `"data":{"":"dg=="}`, `"data":{"..":"dg=="}`, `"data":{"k":"not base64"}`, `"data":{"k":7}`, `"data":{"k":null}`, `"stringData":{"a b":"v"}`,
			`"stringData":{"k":"w","n":"x"}`, `"data":{"k":"dg=="},"stringData":{"k":"w"}`, `"stringData":{"k":7}`, `"stringData":{"k":null}`, `"stringData":{}`,
			`"stringData":{"k":"` + megabyte + `"}`, `"stringData":{"k":"` + megabyte + `v"}`,
			`"data":{"n":"` + base64.StdEncoding.EncodeToString([]byte(megabyte)) + `"}`,
			`"immutable":"yes"`, `"type":7`,
		} {
			s.merge(secrets+"/a?dryRun=All", `{`+content+`}`)
			s.post(secrets+"?dryRun=All", `{"metadata":{"name":"b"},`+content+`}`)
		}
	}},
}

// immutable changes an object that is immutable, by patches and by an update, and then deletes it.
func immutable(s *script, collection, body string, changes ...string) {
	created := s.post(collection, body)
	for _, change := range changes {
		s.merge(collection+"/a?dryRun=All", `{`+change+`}`)
		s.patch(collection+"/a?dryRun=All", "application/strategic-merge-patch+json", `{`+change+`}`)
	}
	s.put(collection+"/a", created.with("data", nil))
	s.put(collection+"/a", created.with("immutable", nil))
	s.patch(collection+"/a", jsonPatch, `[{"op":"remove","path":"/immutable"}]`)
	s.put(collection+"/a", created.with("metadata.annotations", map[string]string{"x": "y"}))
	s.delete(collection+"/a", "")
	mutable := s.post(collection, strings.Replace(body, `"immutable":true`, `"immutable":false`, 1))
	s.put(collection+"/a", mutable.with("immutable", true))
	s.put(collection+"/a", mutable.with("immutable", false, "metadata.resourceVersion", nil))
}
