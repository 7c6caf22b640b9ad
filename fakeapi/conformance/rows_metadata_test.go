package conformance_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// metadataRows are the branches of the validation of metadata.
var metadataRows = []row{
	{name: "validation of names and prefixes", run: func(s *script) {
		long := strings.Repeat("a", 250)
		for _, prefix := range []string{"a", "a-", "a.", "a..", "A", "-a", "a_", "a--", strings.Repeat("a", 58), strings.Repeat("a", 63), long, long + "abc", long + "abcd", strings.Repeat("a", 60) + "-"} {
			s.generate(configMaps, prefix)
			s.generate("/api/v1/namespaces", prefix)
		}
		s.post(configMaps, `{"metadata":{"name":"`+long+`abc"}}`)
		s.post(configMaps, `{"metadata":{"name":"named","generateName":"Wrong_"}}`)
		s.post(configMaps, configMap("named", "", "v"))
		s.post(configMaps, `{"metadata":{"name":"named","generateName":"good-"}}`)
	}},
	{name: "validation of labels", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "", "v"))
		for _, pair := range [][2]string{
			{"", "v"},
			{"a/b/c", "v"},
			{"/a", "v"},
			{"a/", "v"},
			{"-a", "v"},
			{"a-", "v"},
			{"a b", "v"},
			{"A", "B"},
			{"A.b/C_d", "v"},
			{"a..b/c", "v"},
			{strings.Repeat("k", 63), ""},
			{strings.Repeat("k", 64), ""},
			{strings.Repeat("p", 254) + "/k", ""},
			{strings.Repeat("p", 253) + "/k", ""},
			{"k", "-v"},
			{"k", "v-"},
			{"k", "v v"},
			{"k", strings.Repeat("v", 63)},
			{"k", strings.Repeat("v", 64)},
			{"k", "ü"},
			{"k", "a/b"},
			{"k k", "v v"},
		} {
			s.put(path, created.with("metadata.labels", map[string]string{pair[0]: pair[1]}, "metadata.resourceVersion", nil))
			s.post(configMaps+"?dryRun=All", fmt.Sprintf(`{"metadata":{"name":"b","labels":{%q:%q}}}`, pair[0], pair[1]))
		}
	}},
	{name: "validation of annotations", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "", "v"))
		big := strings.Repeat("v", 256<<10)
		for _, pair := range [][2]string{
			{"", "v"}, {"a/b/c", "v"}, {"/a", "v"}, {"a/", "v"}, {"UPPER/Case", "v"}, {"a b", "v"}, {strings.Repeat("k", 64), ""}, {"k", big[1:]}, {"k", big}, {"a b", big},
		} {
			s.put(path, created.with("metadata.annotations", map[string]string{pair[0]: pair[1]}, "metadata.resourceVersion", nil))
			s.post(configMaps+"?dryRun=All", fmt.Sprintf(`{"metadata":{"name":"b","annotations":{%q:%q}}}`, pair[0], pair[1]))
		}
	}},
	{name: "validation of owner references", run: func(s *script) {
		const path = configMaps + "/a"
		s.post(configMaps, configMap("a", "", "v"))
		for _, owners := range []string{
			`{}`, `{"apiVersion":"v1"}`, `{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}`, `{"apiVersion":"a/b/c","kind":"Pod","name":"p","uid":"u"}`,
			`{"apiVersion":"/","kind":"Pod","name":"p","uid":"u"}`, `{"apiVersion":"apps/","kind":"Pod","name":"p","uid":"u"}`, `{"apiVersion":"v1","kind":"Event","name":"p","uid":"u"}`,
			`{"apiVersion":"v1","kind":"Event","name":"p","uid":"u","controller":true,"blockOwnerDeletion":false}`,
			`{"apiVersion":"events.k8s.io/v1","kind":"Event","name":"p","uid":"u"}`, `{"apiVersion":"v1","kind":"Pod","name":"Not A Name","uid":"u"}`,
			`{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}`,
			`{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"w","controller":true}`,
			`{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"q","uid":"w","controller":true},` +
				`{"apiVersion":"v1","kind":"Pod","name":"r","uid":"x","controller":true}`,
			`{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u","unknown":1}`,
		} {
			s.merge(path, `{"metadata":{"ownerReferences":[`+owners+`]}}`)
			s.post(configMaps+"?dryRun=All", `{"metadata":{"name":"b","ownerReferences":[`+owners+`]}}`)
		}
	}},
	{name: "validation of finalizers", run: func(s *script) {
		const path = configMaps + "/a"
		s.post(configMaps, configMap("a", "", "v"))
		for _, finalizers := range []string{
			`"a"`, `"kubernetes"`, `"orphan"`, `"foregroundDeletion"`, `"orphan","foregroundDeletion"`, `"example.org/a"`, `"example.org/a","example.org/a"`, `""`, `"a b"`, `"x/y/z"`,
			`"UPPER/x"`, `"a","b"`, `"` + strings.Repeat("a", 64) + `"`,
		} {
			s.merge(path+"?dryRun=All", `{"metadata":{"finalizers":[`+finalizers+`]}}`)
			s.post(configMaps+"?dryRun=All", `{"metadata":{"name":"b","finalizers":[`+finalizers+`]}}`)
		}
	}},
	{name: "validation of what the server owns", run: func(s *script) {
		const path = configMaps + "/a"
		created := s.post(configMaps, configMap("a", "", "v"))
		for _, member := range []string{
			`"uid":"u"`, `"uid":""`, `"selfLink":"/x"`, `"generation":-1`, `"generation":7`, `"creationTimestamp":null`, `"creationTimestamp":"2001-01-01T00:00:00Z"`,
			`"deletionTimestamp":"2001-01-01T00:00:00Z"`, `"deletionGracePeriodSeconds":5`, `"deletionGracePeriodSeconds":-5`, `"resourceVersion":"garbage"`, `"resourceVersion":"-1"`,
			`"resourceVersion":"1"`, `"resourceVersion":""`, `"name":"other"`, `"namespace":"other"`, `"namespace":""`, `"generateName":"x-"`, `"generateName":"Wrong_"`,
			`"creationTimestamp":"yesterday"`, `"deletionTimestamp":""`, `"deletionTimestamp":7`,
		} {
			s.merge(path+"?dryRun=All", `{"metadata":{`+member+`}}`)
			s.post(configMaps+"?dryRun=All", `{"metadata":{"name":"b",`+member+`}}`)
		}
		s.put(path, created.with("metadata.generateName", "Wrong_"))
		s.put(path, created.with("metadata.uid", "u", "metadata.labels", map[string]string{"a b": "v"}))
		s.put(path, created.with("metadata.resourceVersion", "garbage"))
	}},
	{name: "validation of managed fields", run: func(s *script) {
		for _, entry := range []string{
			`{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}`,
			`{"manager":"m","operation":"Nothing","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}`,
			`{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV9","fieldsV1":{}}`,
		} {
			s.post(configMaps+"?dryRun=All", `{"metadata":{"name":"b","managedFields":[`+entry+`]}}`)
		}
		s.post(configMaps+"?dryRun=All", `{"metadata":{"name":"b","managedFields":"x"}}`)
	}},
	{name: "create over an object that is ending", run: func(s *script) {
		s.post(configMaps, `{"metadata":{"name":"a","finalizers":["example.org/a"]}}`)
		s.post(configMaps, configMap("a", "", "v"))
		s.delete(configMaps+"/a", "")
		s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps+"?dryRun=All", configMap("a", "", "v"))
		s.post(pods, pod("a", "", "node1"))
		s.delete(pods+"/a", "")
		s.post(pods, pod("a", "", ""))
	}},
}

// generate asks for a name with the prefix, on trial.
func (s *script) generate(collection, prefix string) {
	s.t.Helper()
	body := `{"metadata":{"generateName":"` + prefix + `"}}`
	a, _ := s.send("POST", collection+"?dryRun=All", body)
	name := a.str("metadata.name")
	s.log = append(s.log, exchange{Request: "generate " + collection + " " + prefix, Code: a.code})
	if a.code == 201 {
		s.note("prefix of the name", name[:len(name)-5])
		return
	}
	text, err := json.Marshal(lookup(a.doc, "details.causes"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.note("causes", strings.ReplaceAll(string(text), a.str("details.name"), prefix+"<generated>"))
}
