package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

const watchConfigMaps = configMaps + "?watch=true"

// watchRows are watches: where they start, what they show, how they end.
var watchRows = []row{
	{name: "watch from the start", run: func(s *script) {
		a := s.post(configMaps, configMap("a", "x=y", "v"))
		s.post(configMaps, configMap("b", "", "v"))
		w := s.watch(watchConfigMaps)
		w.next(2)
		s.put(configMaps+"/a", a.with("data.k", "w"))
		w.next(1)
		s.post(configMaps, configMap("c", "", "v"))
		w.next(1)
		s.delete(configMaps+"/b", "")
		w.next(1)
		s.merge(configMaps+"/a", `{}`) // nothing changes, nothing is told
		s.post("/api/v1/namespaces", namespace("other-$ns", ""))
		s.post("/api/v1/namespaces/other-$ns/configmaps", configMap("a", "", "v"))
		w.quiet()
		w.close()
	}},
	{name: "watch from zero", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps, configMap("b", "", "v"))
		w := s.watch(watchConfigMaps + "&resourceVersion=0")
		w.next(2)
		s.delete(configMaps+"/a", "")
		w.next(1)
		w.close()
	}},
	{name: "watch from a version", run: func(s *script) {
		a := s.post(configMaps, configMap("a", "", "v"))
		b := s.post(configMaps, configMap("b", "", "v"))
		s.put(configMaps+"/b", b.with("data.k", "w"))
		s.delete(configMaps+"/a", "")
		w := s.watch(watchConfigMaps + "&resourceVersion=" + a.rv())
		deleted := w.next(3)
		s.post(configMaps, configMap("a", "", "again"))
		w.next(1)
		w.close()
		again := s.watch(watchConfigMaps + "&resourceVersion=" + deleted.rv()) // strictly after
		again.next(1)
		again.quiet()
		again.close()
	}},
	{name: "watch from the version of a list", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		list := s.get(configMaps)
		w := s.watch(watchConfigMaps + "&resourceVersion=" + list.rv())
		w.quiet()
		s.merge(configMaps+"/a", `{"data":{"k":"w"}}`)
		w.next(1)
		w.close()
	}},
	{name: "watch with a label selector", run: func(s *script) {
		in := s.post(configMaps, configMap("in", "x=y", "v"))
		out := s.post(configMaps, configMap("out", "x=z", "v"))
		w := s.watch(watchConfigMaps + "&labelSelector=x%3Dy")
		w.next(1)
		s.put(configMaps+"/out", out.with("metadata.labels.x", "y", "data.k", "enters"))
		w.next(1)
		s.put(configMaps+"/in", in.with("data.k", "within"))
		w.next(1)
		s.merge(configMaps+"/in", `{"metadata":{"labels":{"x":"gone"}},"data":{"k":"leaves"}}`)
		w.next(1)
		s.merge(configMaps+"/in", `{"data":{"k":"outside"}}`)
		s.delete(configMaps+"/in", "")
		s.delete(configMaps+"/out", "")
		w.next(1)
		w.quiet()
		w.close()
		replay := s.watch(watchConfigMaps + "&labelSelector=x%3Dy&resourceVersion=" + out.rv())
		replay.next(4)
		replay.quiet()
		replay.close()
	}},
	{name: "watch one object", run: func(s *script) {
		a := s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps, configMap("b", "", "v"))
		w := s.watch(watchConfigMaps + "&fieldSelector=metadata.name%3Da")
		w.next(1)
		named := s.watch(configMaps + "/a?watch=true&resourceVersion=" + a.rv())
		s.delete(configMaps+"/b", "")
		s.delete(configMaps+"/a", "")
		w.next(1)
		named.next(1)
		s.post(configMaps, configMap("a", "", "again"))
		w.next(1)
		named.next(1)
		w.close()
		named.close()
		s.watch(configMaps + "/a?watch=true&fieldSelector=metadata.name%3Db")
	}},
	{name: "watch with a field selector", run: func(s *script) {
		s.post(pods, pod("a", "", ""))
		w := s.watch(pods + "?watch=true&fieldSelector=status.phase%3DPending")
		w.next(1)
		s.merge(pods+"/a/status", `{"status":{"phase":"Running"}}`)
		w.next(1)
		s.merge(pods+"/a/status", `{"status":{"phase":"Pending"}}`)
		w.next(1)
		w.close()
	}},
	{name: "watch an object with finalizers", run: func(s *script) {
		a := s.post(configMaps, `{"metadata":{"name":"a","finalizers":["example.org/a"]},"data":{"k":"v"}}`)
		w := s.watch(watchConfigMaps + "&resourceVersion=" + a.rv())
		s.delete(configMaps+"/a", "")
		w.next(1)
		s.merge(configMaps+"/a", `{"metadata":{"finalizers":null},"data":{"k":"last"}}`)
		w.next(1)
		w.quiet()
		w.close()
	}},
	{name: "watch a pod that is deleted", run: func(s *script) {
		a := s.post(pods, pod("a", "", "node1"))
		w := s.watch(pods + "?watch=true&resourceVersion=" + a.rv())
		s.delete(pods+"/a", "")
		w.next(1)
		s.delete(pods+"/a", `{"gracePeriodSeconds":0}`)
		w.next(1)
		s.post(pods, pod("b", "", ""))
		w.next(1)
		s.delete(pods+"/b", "")
		w.next(1)
		w.quiet()
		w.close()
	}},
	{name: "watch a deletion in the foreground", run: func(s *script) {
		a := s.post(configMaps, configMap("a", "", "v"))
		w := s.watch(watchConfigMaps + "&resourceVersion=" + a.rv())
		s.delete(configMaps+"/a", `{"propagationPolicy":"Foreground"}`)
		w.next(1)
		w.close()
	}},
	{name: "watch the deletion of a collection", run: func(s *script) {
		first := s.post(configMaps, configMap("a", "x=y", "v"))
		s.post(configMaps, configMap("b", "x=y", "v"))
		w := s.watch(watchConfigMaps + "&resourceVersion=" + first.rv())
		w.next(1)
		s.delete(configMaps+"?labelSelector=x%3Dnone", "")
		s.delete(configMaps+"?fieldSelector=metadata.name%3Db", "")
		w.next(1)
		w.close()
	}},
	{name: "watch a status", run: func(s *script) {
		a := s.post(deployments, deployment("a"))
		w := s.watch(deployments + "?watch=true&resourceVersion=" + a.rv())
		s.merge(deployments+"/a/status", `{"status":{"replicas":1}}`)
		w.next(1)
		s.merge(deployments+"/a", `{"status":{"replicas":5}}`)
		w.quiet()
		w.close()
	}},
	{name: "watch all namespaces", run: func(s *script) {
		s.post(configMaps, configMap("a", "row=$ns", "v"))
		w := s.watch("/api/v1/configmaps?watch=true&labelSelector=row%3D$ns")
		w.next(1)
		s.post("/api/v1/namespaces", namespace("other-$ns", ""))
		s.post("/api/v1/namespaces/other-$ns/configmaps", configMap("b", "row=$ns", "v"))
		w.next(1)
		w.close()
	}},
	{name: "watch what has no namespace", run: func(s *script) {
		w := s.watch("/api/v1/namespaces?watch=true&labelSelector=row%3D$ns")
		s.post("/api/v1/namespaces", namespace("a-$ns", "row=$ns"))
		w.next(1)
		s.delete("/api/v1/namespaces/a-$ns", "")
		w.next(1)
		w.close()
		w = s.watch(roles + "?watch=true&labelSelector=row%3D$ns")
		s.post(roles, clusterRole("a-$ns", "row=$ns"))
		w.next(1)
		s.delete(roles+"/a-$ns", "")
		w.next(1)
		w.close()
	}},
	{name: "watch a namespace that is not there", run: func(s *script) {
		s.watch("/api/v1/namespaces/none-$ns/configmaps?watch=true&timeoutSeconds=1").rest()
	}},
	{name: "watch is a boolean", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		for _, value := range []string{"=1", "=True", "=yes", "", "="} {
			w := s.watch(configMaps + "?resourceVersion=0&watch" + value)
			w.next(1)
			w.close()
		}
		for _, value := range []string{"=0", "=false", "=FALSE"} {
			s.get(configMaps + "?watch" + value)
		}
	}},
	{name: "watch times out", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.watch(watchConfigMaps + "&timeoutSeconds=1").rest()
		s.watch(watchConfigMaps + "&timeoutSeconds=1&resourceVersion=0").rest()
		list := s.get(configMaps)
		s.watch(watchConfigMaps + "&timeoutSeconds=1&resourceVersion=" + list.rv()).rest()
		s.watch(watchConfigMaps + "&timeoutSeconds=soon")
	}},
	{name: "bookmarks", run: func(s *script) {
		s.post("/api/v1/namespaces", namespace("other-$ns", ""))
		watches := make([]*watched, 0, 12)
		for _, kind := range [][2]string{{configMaps, configMap("a", "", "v")}, {pods, pod("a", "", "")}, {deployments, deployment("a")}, {secrets, secret("a")}} {
			collection := kind[0]
			s.post(collection, kind[1])
			list := s.get(collection)
			for _, query := range []string{"&allowWatchBookmarks=true", "&allowWatchBookmarks=true&labelSelector=none", ""} {
				w := s.watch(collection + "?watch=true&timeoutSeconds=4&resourceVersion=" + list.rv() + query)
				w.bookmarks = true
				watches = append(watches, w)
			}
			// There is a bookmark only if the version has moved since the start; it need not be by
			// what a watch shows.
			s.post(strings.Replace(collection, "$ns", "other-$ns", 1), kind[1])
		}
		for _, w := range watches {
			w.rest()
		}
	}},
	{name: "bookmarks of a watch from the start", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		for _, query := range []string{"", "&resourceVersion=0"} {
			w := s.watch(watchConfigMaps + "&allowWatchBookmarks=true" + query)
			w.next(2)
			s.merge(configMaps+"/a", `{"data":{"k":"`+strconv.Itoa(len(query))+`"}}`)
			w.next(1)
			w.close()
		}
	}},
	{name: "streaming list", run: func(s *script) {
		for _, name := range []string{"b", "a", "c"} {
			s.post(configMaps, configMap(name, "x="+name, "v"))
		}
		const streaming = watchConfigMaps + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
		for _, start := range []struct {
			query  string
			frames int // objects and the bookmark
		}{
			{"", 4},
			{"&resourceVersion=0", 4},
			{"&labelSelector=x%20in%20(a,b)", 3},
			{"&labelSelector=none", 1},
			{"&fieldSelector=metadata.name%3Da", 2},
		} {
			w := s.watch(streaming + "&allowWatchBookmarks=true" + start.query)
			w.next(start.frames)
			w.quiet()
			w.close()
		}
		last := s.post(configMaps, configMap("d", "", "v"))
		w := s.watch(streaming + "&allowWatchBookmarks=true&resourceVersion=" + last.rv())
		w.next(5)
		s.delete(configMaps+"/d", "")
		w.next(1)
		w.close()
	}},
	{name: "streaming list without bookmarks", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		w := s.watch(watchConfigMaps + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan")
		w.next(1)
		w.quiet()
		w.close()
	}},
	{name: "no initial events", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		w := s.watch(watchConfigMaps + "&sendInitialEvents=false&resourceVersionMatch=NotOlderThan")
		w.quiet()
		s.post(configMaps, configMap("b", "", "v"))
		w.next(1)
		w.close()
	}},
	{name: "watch refused", run: func(s *script) {
		now := s.post(configMaps, configMap("a", "", "v")).rv()
		for _, query := range []string{
			"resourceVersion=none", "resourceVersion=-1", "labelSelector=x%3D1%3D2", "fieldSelector=data.k%3Dv", "resourceVersionMatch=NotOlderThan",
			"resourceVersionMatch=Exact&resourceVersion=" + now, "sendInitialEvents=true", "sendInitialEvents=false",
			"sendInitialEvents=true&resourceVersionMatch=Exact", "sendInitialEvents=maybe", "continue=abc&resourceVersionMatch=NotOlderThan&sendInitialEvents=true",
			"sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=none",
		} {
			s.watch(watchConfigMaps + "&" + query).close()
		}
		s.watch(core + "things?watch=true")
		s.watch("/apis/example.org/v1/things?watch=true")
		s.watch(watchConfigMaps, as(conformance.NobodyToken))
		s.watch(watchConfigMaps, as("no-such-token"))
		s.watch(deployments + "/a/status?watch=true")
		w := s.watch(watchConfigMaps + "&limit=1&resourceVersion=0")
		w.next(1)
		w.close()
	}},
	{name: "watch from the future", run: func(s *script) {
		s.post(configMaps, configMap("a", "", "v"))
		s.watch(watchConfigMaps + "&timeoutSeconds=2&resourceVersion=1000000000").rest()
		s.watch(watchConfigMaps + "&timeoutSeconds=2&resourceVersion=1000000000&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true").rest()
		s.watch(watchConfigMaps + "&timeoutSeconds=2&resourceVersion=1000000000&sendInitialEvents=false&resourceVersionMatch=NotOlderThan").rest()
	}},
	{name: "watch events, which have no cache", run: func(s *script) {
		first := s.post(events, event("a"))
		s.post(events, event("b"))
		w := s.watch(events + "?watch=true&resourceVersion=" + first.rv())
		w.next(1)
		s.merge(events+"/a", `{"count":2}`)
		w.next(1)
		s.delete(events+"/b", "")
		w.next(1)
		w.close()
		start := s.watch(events + "?watch=true")
		start.next(1)
		start.close()
		s.watch(events + "?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&resourceVersion=" + first.rv()).rest()
		s.names(events + "?resourceVersion=" + first.rv())
		s.names(events + "?fieldSelector=involvedObject.name%3Dpod-b")
		s.names(events + "?fieldSelector=reason%3DTesting,type%3DNormal")
	}},
	{name: "slow reader", run: slowReader},
}

// slowReader opens a watch and reads nothing while objects of half a megabyte change again and
// again, until the server must have filled its buffers. Then it reads on: the server has cut the
// stream, and what came is without a gap.
func slowReader(s *script) {
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	s.post(configMaps, configMap("a", "", "v"))
	list := s.get(configMaps)
	resp, err := s.client.Do(s.request(ctx, http.MethodGet, watchConfigMaps+"&resourceVersion="+list.rv(), ""))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	const changes = 200
	filler := strings.Repeat("0123456789", 20_000)
	for i := range changes {
		if a, _ := s.send("PUT", configMaps+"/a", configMap("a", "", strconv.Itoa(i)+" "+filler)); a.code != http.StatusOK {
			s.t.Fatalf("change %d: %s", i, a.raw)
		}
	}
	d := json.NewDecoder(resp.Body)
	n := 0
	for {
		var frame struct {
			Type   string
			Object struct{ Data struct{ K string } }
		}
		if err = d.Decode(&frame); err != nil {
			break
		}
		if number, _, _ := strings.Cut(frame.Object.Data.K, " "); frame.Type != "MODIFIED" || number != strconv.Itoa(n) {
			s.note("frame out of order", fmt.Sprint(frame.Type, " ", number))
			return
		}
		n++
	}
	s.note("cut before the last change", n < changes)
	s.note("some changes came", n > 0)
	s.note("end", ending(err))
	s.t.Logf("%s: %d of %d changes came", s.server.Name(), n, changes)
}
