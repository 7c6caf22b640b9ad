package conformance_test

import "net/http"

// strategicRows are strategic merge patches, which merge lists of objects by their keys.
var strategicRows = []row{
	{name: "strategic patch of lists by key", run: func(s *script) {
		const path = pods + "/a"
		s.post(pods, pod("a", "x=y", ""))
		s.patch(path, strategy, `{"metadata":{"labels":{"z":"1","x":null},"finalizers":["example.org/a"]},"spec":{"containers":[{"name":"c","image":"i:2"}]}}`)
		s.patch(path, strategy, `{"metadata":{"finalizers":["example.org/b"]}}`) // finalizers are a set
		s.patch(path, strategy, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.org/a"]}}`)
		s.patch(path, strategy, `{"metadata":{"$setElementOrder/finalizers":["example.org/c","example.org/b"],"finalizers":["example.org/c"]}}`)
		s.patch(path, strategy, `{"metadata":{"labels":{"$patch":"replace","only":"this"}}}`)
		s.patch(path, strategy, `{"metadata":{"finalizers":null}}`)
	}},
	{name: "strategic patch of a deployment", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.patch(path, strategy, `{"spec":{"template":{"spec":{"containers":[{"name":"d","image":"j","resources":{},"terminationMessagePath":"/d",`+
			`"terminationMessagePolicy":"File","imagePullPolicy":"Always","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],`+
			`"ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"UDP"}]}]}}}}`)
		s.patch(path, strategy, `{"spec":{"template":{"spec":{"containers":[{"name":"d","env":[{"name":"A","$patch":"delete"},{"name":"C","value":"3"}]}]}}}}`)
		s.patch(path, strategy, `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"}],"containers":[{"name":"c","image":"k"}]}}}}`)
		s.patch(path, strategy, `{"spec":{"template":{"spec":{"containers":[{"name":"c","$patch":"delete"}]}}}}`)
		s.patch(path, strategy, `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`)
		s.patch(path, strategy, `{"spec":{"replicas":null}}`)
		s.patch(path, strategy, `{"spec":{"template":{"spec":{"containers":[{"name":"e","image":"m","resources":{},"terminationMessagePath":"/e",`+
			`"terminationMessagePolicy":"File","imagePullPolicy":"Always"},{"$patch":"replace"}]}}}}`)
	}},
	{name: "strategic patch in an order", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.patch(path, strategy, ofPod(`"volumes":[{"name":"v","emptyDir":{}}]`))
		s.patch(path, strategy, ofContainer(`"env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"C","value":"3"}],"args":["x","y","z"],`+
			`"volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/b"}]`))
		s.patch(path, strategy, ofContainer(`"$setElementOrder/env":[{"name":"C"},{"name":"A"},{"name":"D"}],"env":[{"name":"D","value":"4"},{"name":"A","value":"9"}]`))
		s.patch(path, strategy, ofContainer(`"$setElementOrder/env":[{"name":"A"},{"name":"D"}],"env":[{"name":"D","value":"5"},{"name":"A","value":"8"}]`)) // not in that order
		s.patch(path, strategy, ofContainer(`"$setElementOrder/env":[{"name":"D"},{"name":"B"},{"name":"A"}]`))
		s.patch(path, strategy, ofContainer(`"$setElementOrder/env":[{"name":"E"},{"name":"D"}],"env":[{"name":"E","value":"6"},{"name":"B","$patch":"delete"}]`))
		s.patch(path, strategy, ofContainer(`"env":[{"name":"F","value":"7"},{"name":"A","value":"7"},{"name":"E","value":"7"}]`))
		s.patch(path, strategy, ofContainer(`"$deleteFromPrimitiveList/args":["y","none"]`))
		s.patch(path, strategy, ofContainer(`"args":["new"]`)) // not merged
		s.patch(path, strategy, ofContainer(`"volumeMounts":[{"mountPath":"/b","readOnly":true},{"mountPath":"/a","$patch":"delete"}]`))
		s.patch(path, strategy, ofContainer(`"env":[{"$patch":"replace"}],"$setElementOrder/volumeMounts":[]`))
	}},
	{name: "strategic patch of lists without a key", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.patch(path, strategy, ofPod(`"tolerations":[{"key":"a","operator":"Exists"}],"nodeSelector":{"x":"y"},"hostAliases":[{"ip":"1.1.1.1","hostnames":["a"]}]`))
		s.patch(path, strategy, ofPod(`"tolerations":[{"key":"b","operator":"Exists"},{"key":"c","operator":"Exists"}],"nodeSelector":{"z":"1"}`))
		s.patch(path, strategy, ofPod(`"hostAliases":[{"ip":"2.2.2.2","hostnames":["b"]},{"ip":"1.1.1.1","hostnames":["c"]}],"nodeSelector":{"$patch":"replace","only":"this"}`))
		s.patch(path, strategy, ofPod(`"hostAliases":[{"ip":"2.2.2.2","$patch":"delete"},{"ip":"1.1.1.1","$patch":"delete"}],"nodeSelector":{"$patch":"delete"}`))
		s.patch(path, strategy, ofPod(`"imagePullSecrets":[{"name":"p"},{"name":"q"}],"topologySpreadConstraints":[]`))
		s.patch(path, strategy, ofPod(`"imagePullSecrets":[{"$patch":"replace"},{"name":"r"}]`))
	}},
	{name: "strategic patch of tolerations and ports", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.patch(path, strategy, ofPod(`"tolerations":[{"$patch":"replace"},{"key":"a","operator":"Exists"}]`))
		s.patch(path, strategy, ofPod(`"tolerations":null`))
		s.patch(path, strategy, ofContainer(`"ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":81,"protocol":"TCP"},{"containerPort":80,"protocol":"UDP"}]`))
		s.patch(path, strategy, ofContainer(`"ports":[{"containerPort":81,"name":"x"},{"containerPort":82,"protocol":"TCP"}]`))
		s.patch(path, strategy, ofContainer(`"$setElementOrder/ports":[{"containerPort":82},{"containerPort":81}],"ports":[{"containerPort":82,"name":"y"}]`))
		s.patch(path, strategy, ofContainer(`"ports":[{"containerPort":81,"$patch":"delete"},{"containerPort":83,"protocol":"TCP"}]`))
		s.patch(path, strategy, ofContainer(`"ports":[{"$patch":"replace"},{"containerPort":84,"protocol":"TCP"}]`))
		s.patch(path, strategy, ofContainer(`"env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}]`))
		s.patch(path, strategy, ofContainer(`"env":[{"name":"B","value":"2","valueFrom":null},{"name":"A","$patch":"delete"},{"name":"A","value":"3"}]`))
	}},
	{name: "strategic patch of volumes", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.patch(path, strategy, ofPod(`"volumes":[{"name":"v","emptyDir":{}},{"name":"w","hostPath":{"path":"/w","type":""}}]`))
		s.patch(path, strategy, ofPod(`"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/v","type":""}}]`))
		s.patch(path, strategy, ofPod(`"volumes":[{"name":"w","$retainKeys":["name","emptyDir"],"emptyDir":{},"hostPath":null}]`))
		s.patch(path, strategy, ofPod(`"volumes":[{"name":"w","$retainKeys":["name"],"emptyDir":{}}]`)) // not retained
		s.patch(path, strategy, ofPod(`"$setElementOrder/volumes":[{"name":"w"},{"name":"v"}]`))
		s.patch(path, strategy, ofPod(`"volumes":[{"name":"v","$patch":"delete"},{"name":"w","$patch":"delete"}]`))
	}},
	{name: "strategic patch of status", run: func(s *script) {
		const path = deployments + "/a"
		s.post(deployments, deployment("a"))
		s.patch(path+"/status", strategy, `{"status":{"conditions":[{"type":"A","status":"True",`+times+`},{"type":"B","status":"True",`+times+`}],"replicas":1}}`)
		s.patch(path+"/status", strategy, `{"status":{"conditions":[{"type":"B","status":"False",`+times+`},{"type":"C","status":"True",`+times+`}]},"spec":{"replicas":9}}`)
		s.patch(path+"/status", strategy, `{"status":{"conditions":[{"type":"A","$patch":"delete"}],"$retainKeys":["conditions"]}}`)
		s.patch(path, strategy, `{"status":{"replicas":5},"spec":{"replicas":3}}`)
		s.patch(path, strategy, `{"spec":{"replicas":4}}`, dryRun)
		s.get(path)
	}},
	{name: "strategic patch of service ports", run: func(s *script) {
		s.post(services, service("a"))
		s.patch(services+"/a", strategy, `{"spec":{"ports":[{"port":80,"name":"x","protocol":"TCP"},{"port":81,"name":"y","protocol":"TCP","targetPort":81}],"selector":{"c":"d"}}}`)
		s.patch(services+"/a", strategy, `{"spec":{"ports":[{"port":80,"$patch":"delete"}],"selector":{"$patch":"replace","e":"f"}}}`)
		s.patch(services+"/a", strategy, `{"spec":{"$setElementOrder/ports":[{"port":82},{"port":81}],"ports":[{"port":82,"name":"z","protocol":"TCP","targetPort":82}]}}`)
	}},
	{name: "strategic patch refused", run: func(s *script) {
		created := s.post(configMaps, configMap("a", "", "v"))
		s.patch(configMaps+"/a", strategy, `{"data":{"k":"w"},"metadata":{"resourceVersion":"`+created.rv()+`"}}`)
		s.patch(configMaps+"/a", strategy, `{"data":{"k":"x"},"metadata":{"resourceVersion":"`+created.rv()+`"}}`)
		for _, body := range []string{
			`[]`, `{`, `null`, `"text"`, `{"$patch":"nonsense"}`, `{"metadata":{"name":"b"}}`, `{"data":{"$retainKeys":"k"}}`, `{"data":{"$retainKeys":["k"],"z":"1"}}`,
			`{"$setElementOrder/data":["k"]}`, `{"$setElementOrder/data":"k"}`, `{"$setElementOrderdata":[]}`, `{"metadata":{"$deleteFromPrimitiveListfinalizers":["a"]}}`,
			`{"data":{"k":1}}`, `{"data":{"k":1.5}}`, `{"data":{"k":true}}`, `{"data":{"k":{"a":"b"}}}`, `{"data":{"k":["a"]}}`, `{"data":"k"}`, `{"data":["k"]}`, `{"metadata":"k"}`,
			`{"kind":"Secret","data":{"type":"ignored"}}`, `{"metadata":{"finalizers":["example.org/a",1]}}`, `{"metadata":{"finalizers":[["a"]]}}`,
		} {
			s.patch(configMaps+"/a", strategy, body)
		}
		s.merge(configMaps+"/a", `{"metadata":{"finalizers":["example.org/a"]}}`)
		s.patch(configMaps+"/a", strategy, `{"metadata":{"finalizers":[{"a":"b"}]}}`)
		s.patch(configMaps+"/a", strategy, `{"metadata":{"$setElementOrder/finalizers":["x"],"finalizers":["example.org/b"]}}`)
		s.patch(configMaps+"/a", strategy, `{"metadata":{"ownerReferences":[{"name":"no uid"}]}}`)
		s.patch(configMaps+"/none", strategy, `{"data":{"k":"w"}}`)
		s.patch(configMaps+"/none", strategy, `[]`)
		s.patch(configMaps+"/a?force=true", strategy, `{}`)
		s.post(pods, pod("a", "", ""))
		s.patch(pods+"/a", strategy, `{"spec":{"containers":[{"image":"without a name"}]}}`)
		s.patch(pods+"/a", strategy, `{"spec":{"containers":[{"$patch":"delete","image":"i"}]}}`)
		s.patch(pods+"/a", strategy, `{"spec":{"containers":[{"$patch":"merge"}]}}`)
		s.patch(pods+"/a", strategy, `{"spec":{"containers":[{"$patch":"other"}]}}`)
		s.patch(pods+"/a", strategy, `{"spec":{"containers":["c"]}}`)
		s.patch(pods+"/a", strategy, `{"spec":{"$setElementOrder/containers":["c"],"containers":[{"name":"c"}]}}`)
	}},
	{name: "strategic patch without the schema", lacks: noSchema, run: func(s *script) {
		s.post(pods, pod("a", "", ""))
		s.patch(pods+"/a", strategy, `{"spec":{"containers":{}}}`)
	}},
	{name: "strategic patch with unknown members", run: func(s *script) {
		const path = configMaps + "/a"
		s.post(configMaps, configMap("a", "", "v"))
		s.patch(path, strategy, `{"unknown":1,"metadata":{"more":1},"data":{"k":"x","k":"y"}}`)
		s.patch(path+"?fieldValidation=Strict", strategy, `{"unknown":1,"metadata":{"more":1},"data":{"k":"x","k":"z"}}`)
		s.patch(path+"?fieldValidation=Ignore", strategy, `{"unknown":1,"data":{"k":"x"}}`)
		s.patch(path+"?fieldValidation=Strict", strategy, `{"data":{"k":"w"}}`)
	}},
}

const times = `"lastUpdateTime":"2026-01-02T03:04:05Z","lastTransitionTime":"2026-01-02T03:04:05Z"`

// ofPod returns a patch of the pods of a deployment, and ofContainer a patch of their container.
func ofPod(members string) string { return `{"spec":{"template":{"spec":{` + members + `}}}}` }

func ofContainer(members string) string { return ofPod(`"containers":[{"name":"c",` + members + `}]`) }

// dryRun asks for a write that is not carried out.
func dryRun(r *http.Request) { r.URL.RawQuery = "dryRun=All" }
