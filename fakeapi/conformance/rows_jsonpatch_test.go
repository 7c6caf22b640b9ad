package conformance_test

import "strings"

var jsonPatchRow = row{name: "json patch", run: func(s *script) {
	const path = configMaps + "/a"
	s.post(configMaps, configMap("a", "x=y", "v"))
	for _, body := range []string{
		`[{"op":"test","path":"/data/k","value":"v"},{"op":"replace","path":"/data/k","value":"w"},{"op":"add","path":"/metadata/labels/a~1b","value":"c"}]`,
		`[{"op":"copy","from":"/data/k","path":"/data/l"},{"op":"move","from":"/data/l","path":"/data/m"},{"op":"remove","path":"/metadata/labels"}]`,
		`[{"op":"add","path":"/metadata/annotations","value":{"m~n":"1","o/p":"2"}}]`,
		`[{"op":"test","path":"/metadata/annotations/o~1p","value":"2"},{"op":"remove","path":"/metadata/annotations/o~1p"}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["example.org/b"]},{"op":"add","path":"/metadata/finalizers/0","value":"example.org/a"},` +
			`{"op":"add","path":"/metadata/finalizers/-","value":"example.org/d"},{"op":"add","path":"/metadata/finalizers/2","value":"example.org/c"}]`,
		`[{"op":"test","path":"/metadata/finalizers/1","value":"example.org/b"},{"op":"remove","path":"/metadata/finalizers/-1"},{"op":"replace","path":"/metadata/finalizers/0","value":"example.org/z"}]`,
		`[{"op":"test","path":"/metadata/finalizers","value":["example.org/z","example.org/b","example.org/c"]},{"op":"move","from":"/metadata/finalizers/2","path":"/metadata/finalizers/0"}]`,
		`[{"op":"replace","path":"/data/none","value":"made"}]`, // there is nothing to replace
		`[{"op":"copy","from":"/data/nothing","path":"/data/k"}]`,
		`[{"op":"test","path":"/data/none2","value":null},{"op":"test","path":"/data/none2"}]`,
		`[{"op":"add","path":"/data/big","value":"x"},{"op":"test","path":"/data","value":{"big":"x","m":"w","none":"made"}}]`,
		`[{"op":"remove","path":"/kind"},{"op":"remove","path":"/metadata/labels"}]`, `[{"op":"remove","path":"/kind"}]`,
		`[{"op":"remove","path":"/kind"},{"op":"remove","path":"/apiVersion"},{"op":"remove","path":"/metadata/finalizers"}]`,
		`[]`, `null`,
	} {
		s.patch(path, jsonPatch, body)
	}
	s.patch(path, jsonPatch, `[{"op":"add","path":"/data/dry","value":"x"}]`, dryRun)
	s.get(path)
	s.post(deployments, deployment("a"))
	s.patch(deployments+"/a", jsonPatch, `[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"j"},{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"x","operator":"Exists"}},`+
		`{"op":"test","path":"/spec/replicas","value":1},{"op":"replace","path":"/spec/replicas","value":2}]`)
	s.patch(deployments+"/a/status", jsonPatch, `[{"op":"add","path":"/status/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":5}]`)
	s.define()
	s.post(widgets, widget("a"))
	s.patch(widgets+"/a", jsonPatch, `[{"op":"replace","path":"/spec/parts/0/name","value":"q"},{"op":"test","path":"/spec/big","value":9007199254740993}]`)
	s.patch(widgets+"/a", jsonPatch, `[{"op":"remove","path":"/spec/ratio"},{"op":"test","path":"/spec/size","value":2}]`)
	s.patch(widgets+"/a/status", jsonPatch, `[{"op":"add","path":"/status","value":{"ready":true}}]`)
}}

var jsonPatchRefused = row{name: "json patch refused", run: func(s *script) {
	const path = configMaps + "/a"
	s.post(configMaps, configMap("a", "x=y", "v"))
	for _, body := range []string{
		`[{"op":"test","path":"/data/k","value":"w"}]`,
		`[{"op":"test","path":"/data/k"}]`,
		`[{"op":"test","path":"/data/none","value":"v"}]`,
		`[{"op":"remove","path":"/data/none"}]`,
		`[{"op":"replace","path":"/none/k","value":"v"}]`,
		`[{"op":"add","path":"","value":{}}]`,
		`[{"op":"add","path":"data","value":{}}]`,
		`[{"op":"add","path":"/data/k/deep","value":"x"}]`,
		`[{"op":"add","value":"x"}]`,
		`[{"op":"move","path":"/data/l"}]`,
		`[{"op":"move","from":"/data/none","path":"/data/l"}]`,
		`[{"op":"move","from":"/data","path":"/data/l"}]`,
		`[{"op":"jump","path":"/data/k"}]`,
		`[{"path":"/data/k"}]`,
		`[{"op":"replace","path":"","value":[]}]`,
		`[{"op":"replace","path":"","value":"text"}]`,
		`[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2},{"op":"remove","path":"/0"}]`,
		`[` + strings.Repeat(`{"op":"copy","from":"/data","path":"/data/k"},`, 40) + `{"op":"test","path":"/data/none","value":"x"}]`,
		`[{"op":"replace","path":"/metadata/name","value":"b"}]`,
		`[{"op":"remove","path":"/metadata/name"}]`,
		`[{"op":"remove","path":"/metadata"}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["a/b"]},{"op":"remove","path":"/metadata/finalizers/1"}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["a/b"]},{"op":"add","path":"/metadata/finalizers/2","value":"x/y"}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["a/b"]},{"op":"replace","path":"/metadata/finalizers/x","value":"x/y"}]`,
		`[{"op":"add","path":"/metadata/finalizers","value":["no name"]}]`,
		`[{"op":"replace","path":"/metadata/resourceVersion","value":"1"}]`,
		`{"op":"remove","path":"/data/k"}`, `"text"`, `[`, `[1]`, `[{"op":1}]`, `[{"op":"remove","path":1}]`,
	} {
		s.patch(path, jsonPatch, body)
	}
	test := `{"op":"test","path":"/data/k","value":"v"}`
	s.patch(path, jsonPatch, "["+strings.Repeat(test+",", 9999)+test+"]")
	s.patch(path, jsonPatch, "["+strings.Repeat(test+",", 10000)+test+"]")
	s.patch(configMaps+"/none", jsonPatch, `[]`)
	s.patch(path+"?force=false", jsonPatch, `[]`)
	s.patch(path+"?fieldValidation=Ignore", jsonPatch, `{}`)
	s.get(path)
}}

var jsonPatchUnknown = row{name: "json patch with unknown members", run: func(s *script) {
	const path = configMaps + "/a"
	s.post(configMaps, configMap("a", "x=y", "v"))
	s.patch(path, jsonPatch, `[{"op":"add","path":"/unknown","value":1},{"op":"replace","op":"add","path":"/data/k","more":1,"value":"w"}]`)
	s.patch(path+"?fieldValidation=Ignore", jsonPatch, `[{"op":"add","path":"/unknown","value":1},{"op":"replace","path":"/data/k","more":1,"value":"x"}]`)
	s.patch(path+"?fieldValidation=Strict", jsonPatch, `[{"op":"replace","path":"/data/k","value":"y"}]`)
}}
