package conformance_test

// strategicRows are strategic merge patches, where lists of objects are merged by their keys.
var strategicRows = []row{
	{name: "strategic patch of lists by key", lacks: noStrategic, run: func(s *script) {
		const path = pods + "/a"
		s.post(pods, pod("a", "x=y", ""))
		s.patch(path, strategy, `{"metadata":{"labels":{"z":"1","x":null},"finalizers":["example.org/a"]},"spec":{"containers":[{"name":"c","image":"i:2"}]}}`)
		s.patch(path, strategy, `{"metadata":{"finalizers":["example.org/b"]}}`) // finalizers are a set
		s.patch(path, strategy, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.org/a"]}}`)
		s.patch(path, strategy, `{"metadata":{"$setElementOrder/finalizers":["example.org/c","example.org/b"],"finalizers":["example.org/c"]}}`)
		s.patch(path, strategy, `{"metadata":{"labels":{"$patch":"replace","only":"this"}}}`)
		s.patch(path, strategy, `{"metadata":{"finalizers":null}}`)
	}},
	{name: "strategic patch of a deployment", lacks: noStrategic, run: func(s *script) {
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
	{name: "strategic patch refused", lacks: noStrategic, run: func(s *script) {
		created := s.post(configMaps, configMap("a", "", "v"))
		s.patch(configMaps+"/a", strategy, `{"data":{"k":"w"},"metadata":{"resourceVersion":"`+created.rv()+`"}}`)
		s.patch(configMaps+"/a", strategy, `{"data":{"k":"x"},"metadata":{"resourceVersion":"`+created.rv()+`"}}`)
		s.patch(configMaps+"/a", strategy, `[]`)
		s.patch(configMaps+"/a", strategy, `{`)
		s.patch(configMaps+"/a", strategy, `{"$patch":"nonsense"}`)
		s.patch(configMaps+"/a", strategy, `{"metadata":{"name":"b"}}`)
		s.patch(configMaps+"/none", strategy, `{"data":{"k":"w"}}`)
		s.post(pods, pod("a", "", ""))
		s.patch(pods+"/a", strategy, `{"spec":{"containers":[{"image":"without a name"}]}}`)
		s.patch(pods+"/a", strategy, `{"spec":{"containers":{}}}`)
	}},
}

const noStrategic = "strategic merge patches are answered with 501"
