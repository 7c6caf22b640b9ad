package conformance_test

const (
	coreEvents = core + "events"
	newEvents  = "/apis/events.k8s.io/v1/namespaces/$ns/events"
)

// eventRows are events, which two groups show.
var eventRows = []row{
	{name: "an event in both groups", run: func(s *script) {
		s.post(coreEvents, `{"metadata":{"name":"old","namespace":"$ns","labels":{"x":"y"}},"involvedObject":{"kind":"Pod","name":"a","namespace":"$ns"},"reason":"Made","message":"it was made",`+
			`"source":{"component":"test","host":"h"},"firstTimestamp":"2020-01-01T00:00:00Z","lastTimestamp":"2020-01-01T00:00:01Z","count":2,"type":"Normal"}`)
		s.post(newEvents, `{"metadata":{"name":"new","namespace":"$ns"},"regarding":{"kind":"Pod","name":"b","namespace":"$ns"},"reason":"Seen","action":"Look","note":"it was seen",`+
			`"eventTime":"2020-01-01T00:00:00.000000Z","reportingController":"example.com/test","reportingInstance":"i","type":"Warning"}`)
		w, x := s.watch(coreEvents+"?watch=true"), s.watch(newEvents+"?watch=true")
		w.next(2)
		x.next(2)
		for _, name := range []string{"/old", "/new", "", "?fieldSelector=reason=Made", "?labelSelector=x=y"} {
			s.get(coreEvents + name)
			s.get(newEvents + name)
		}
		s.get(coreEvents + "?fieldSelector=involvedObject.name=b")
		s.get(newEvents + "?fieldSelector=regarding.name=a")
		s.post(newEvents, `{"metadata":{"name":"old","namespace":"$ns"},"regarding":{"kind":"Pod","name":"b","namespace":"$ns"},"reason":"Seen","action":"Look",`+
			`"eventTime":"2020-01-01T00:00:00.000000Z","reportingController":"example.com/test","reportingInstance":"i","type":"Warning"}`)
		s.merge(coreEvents+"/old", `{"count":3,"message":"again"}`)
		s.get(newEvents + "/old")
		s.merge(newEvents+"/new", `{"metadata":{"labels":{"a":"b"}},"series":{"count":2,"lastObservedTime":"2020-01-01T00:00:00.000000Z"}}`)
		s.get(coreEvents + "/new")
		w.next(2)
		x.next(2)
		s.put(newEvents+"/old", s.get(newEvents+"/old").with("metadata.labels.z", "z"))
		s.get(coreEvents + "/old")
		s.delete(newEvents+"/old", "")
		s.get(coreEvents + "/old")
		s.delete(coreEvents+"?labelSelector=a=b", "")
		s.get(newEvents)
		w.next(3)
		x.next(3)
		w.close()
		x.close()
	}},
}
