package conformance_test

const (
	oldScalers = "/apis/autoscaling/v1/namespaces/$ns/horizontalpodautoscalers"
	newScalers = "/apis/autoscaling/v2/namespaces/$ns/horizontalpodautoscalers"
	noteMember = `"autoscaling.alpha.kubernetes.io/`
)

// scaler returns an autoscaler whose annotations and rest of the spec are given.
func scaler(name, annotations, spec string) string {
	return `{"metadata":{"name":"` + name + `","annotations":{` + annotations + `}},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},"maxReplicas":3` + spec + `}}`
}

// everyMetric has a metric of each kind and target.
const everyMetric = `,"metrics":[{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue","averageValue":"1Gi"}}},` +
	`{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}},{"type":"Resource","resource":{"name":"cpu","target":{"type":"AverageValue","averageValue":"100m"}}},` +
	`{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}},` +
	`{"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","target":{"type":"Utilization","averageUtilization":50}}},` +
	`{"type":"Pods","pods":{"metric":{"name":"m","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"AverageValue","averageValue":"1k"}}},` +
	`{"type":"Object","object":{"describedObject":{"kind":"Service","name":"s","apiVersion":"v1"},"metric":{"name":"m"},"target":{"type":"Value","value":"5"}}},` +
	`{"type":"Object","object":{"describedObject":{"kind":"Service","name":"s"},"metric":{"name":"m","selector":{"matchLabels":{"z":"1","a":"2"},"matchExpressions":[{"key":"x","operator":"In","values":["v"]}]}},"target":{"type":"AverageValue","averageValue":"5"}}},` +
	`{"type":"External","external":{"metric":{"name":"e<>&"},"target":{"type":"Value","value":"7"}}},` +
	`{"type":"External","external":{"metric":{"name":"e","selector":{"matchExpressions":[{"key":"x","operator":"Exists"}]}},"target":{"type":"AverageValue","averageValue":"7"}}}],` +
	`"behavior":{"scaleDown":{"stabilizationWindowSeconds":5,"tolerance":"100m","policies":[{"type":"Pods","value":1,"periodSeconds":60}]}}`

// everyStatus has a current metric of each kind.
const everyStatus = `{"status":{"observedGeneration":3,"lastScaleTime":"2020-01-01T00:00:00Z","currentReplicas":2,"desiredReplicas":3,` +
	`"conditions":[{"type":"AbleToScale","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z","reason":"R","message":"m"}],` +
	`"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":20,"averageValue":"20m"}}},{"type":"Resource","resource":{"name":"memory","current":{"averageValue":"20"}}},` +
	`{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":30,"averageValue":"20m"}}},{"type":"Pods","pods":{"metric":{"name":"m"},"current":{"averageValue":"3"}}},` +
	`{"type":"Object","object":{"describedObject":{"kind":"Service","name":"s"},"metric":{"name":"m"},"current":{"value":"5","averageValue":"4"}}},` +
	`{"type":"External","external":{"metric":{"name":"e"},"current":{"value":"7"}}},{"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","current":{"averageUtilization":1,"averageValue":"1m"}}}]}}`

// autoscalerRows are autoscalers, which two versions show.
var autoscalerRows = []row{
	{name: "an autoscaler in both versions", run: func(s *script) {
		both := func(name string) {
			s.get(oldScalers + name)
			s.get(newScalers + name)
		}
		s.post(oldScalers, scaler("plain", "", ""))
		s.post(newScalers, scaler("new", "", ""))
		s.post(newScalers, scaler("full", `"k":"v",`+noteMember+`metrics":"dropped"`, everyMetric))
		s.post(newScalers, scaler("behaves", "", `,"behavior":{}`))
		s.post(newScalers, scaler("least", "", `,"minReplicas":2,"behavior":{"scaleUp":{"selectPolicy":"Min"}}`))
		s.post(oldScalers, scaler("junk", noteMember+`metrics":"junk",`+noteMember+`behavior":"{",`+noteMember+`conditions":"{",`+noteMember+`current-metrics":"[]"`, ""))
		memory := noteMember + `metrics":"[{\"type\":\"Resource\",\"resource\":{\"name\":\"memory\",\"targetAverageValue\":\"5\"}}]"`
		s.post(oldScalers, scaler("memory", memory, ""))
		s.post(oldScalers, scaler("two", memory, `,"targetCPUUtilizationPercentage":10`))
		s.post(newScalers, scaler("plain", "", ""))
		for _, name := range []string{"", "/plain", "/full", "?fieldSelector=metadata.name=two"} {
			both(name)
		}
		w, x := s.watch(oldScalers+"?watch=true&fieldSelector=metadata.name=full"), s.watch(newScalers+"?watch=true&fieldSelector=metadata.name=full")
		w.next(1)
		x.next(1)
		s.merge(newScalers+"/full/status", everyStatus)
		both("/full")
		s.put(oldScalers+"/full", string(s.get(oldScalers+"/full").raw)) // changes one thing: v1 has room for one CPU metric
		both("/full")
		s.put(oldScalers+"/full/status", s.get(oldScalers+"/full").with("status.currentCPUUtilizationPercentage", 77))
		s.put(oldScalers+"/full", scaler("full", "", ""))
		both("/full")
		w.next(3)
		x.next(3)
		w.close()
		x.close()
		s.merge(oldScalers+"/plain", `{"metadata":{"annotations":{`+noteMember+`conditions":"junk"}}}`)
		s.merge(oldScalers+"/plain?dryRun=All", `{"spec":{"targetCPUUtilizationPercentage":33}}`)
		s.merge(oldScalers+"/plain/status", `{"status":{"currentCPUUtilizationPercentage":5,"currentReplicas":1}}`)
		both("/plain")
		s.merge(newScalers+"/plain", `{"spec":{"minReplicas":null,"metrics":null}}`)
		s.merge(newScalers+"/plain", `{"metadata":{"finalizers":["example.com/wait"]}}`)
		s.delete(oldScalers+"/plain", "")
		both("/plain")
		s.merge(oldScalers+"/plain", `{"metadata":{"finalizers":null}}`)
		both("/plain")
		s.delete(oldScalers, "")
		both("")
	}},
}
