package conformance_test

// historyRows erase the history of the server, so nothing runs at the same time.
var historyRows = []row{
	{name: "watch of a version that is too old", alone: true, run: func(s *script) {
		old := s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps, configMap("b", "", "v"))
		s.restart()
		w := s.watch(watchConfigMaps + "&resourceVersion=" + old.rv())
		w.rest()
		s.watch(watchConfigMaps + "&resourceVersion=1").rest()
		s.watch(watchConfigMaps + "&labelSelector=x&resourceVersion=" + old.rv()).rest()
		s.watch(watchConfigMaps + "&allowWatchBookmarks=true&resourceVersion=" + old.rv()).rest()
		s.watch(pods + "?watch=true&resourceVersion=" + old.rv()).rest()
		s.watch(watchConfigMaps + "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=" + old.rv()).rest()
		list := s.get(configMaps)
		ok := s.watch(watchConfigMaps + "&resourceVersion=" + list.rv())
		s.delete(configMaps+"/a", "")
		ok.next(1)
		ok.close()
		initial := s.watch(watchConfigMaps + "&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=" + old.rv())
		initial.next(2)
		initial.close()
	}},
	{name: "watch events of a version that was compacted", alone: true, run: func(s *script) {
		old := s.post(events, event("a"))
		s.post(events, event("b"))
		s.post(events, event("c"))
		s.compact()
		s.watch(events + "?watch=true&timeoutSeconds=2&resourceVersion=" + old.rv()).rest()
		s.get(events + "?limit=1&resourceVersion=" + old.rv())
	}},
	{name: "lists after a compaction", alone: true, run: func(s *script) {
		old := s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps, configMap("b", "", "v"))
		s.post(configMaps, configMap("c", "", "v"))
		page := s.get(configMaps + "?limit=1")
		token := page.str("metadata.continue")
		s.merge(configMaps+"/c", `{"data":{"k":"w"}}`)
		s.compact()
		gone := s.get(configMaps + "?limit=1&continue=" + token)
		s.get(configMaps + "?limit=1&continue=" + gone.str("metadata.continue")) // from the newest version
		s.get(configMaps + "?resourceVersionMatch=Exact&resourceVersion=" + old.rv())
		s.get(configMaps + "?limit=1&resourceVersion=" + old.rv())
		s.get(configMaps + "?resourceVersion=" + old.rv())
		s.get(configMaps + "/a?resourceVersion=" + old.rv())
		s.get(configMaps)
	}},
}
