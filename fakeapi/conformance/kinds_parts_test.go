package conformance_test

import (
	"maps"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/conformance/tables"
)

const (
	otherUID = "00000000-0000-4000-8000-00000000000e"
	owner    = `{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"00000000-0000-4000-8000-00000000000f"}`
)

// metadata is what a new object has, and what changes of the metadata do.
func (s *kindScript) metadata() {
	body := s.example.Body(map[string]any{"generation": 7, "labels": map[string]any{"a": "b"}})
	maps.Copy(body, s.example.Status)
	s.post(s.collection, s.encode(body))
	s.create(nil) // it exists
	s.merge(s.path, `{"metadata":{"labels":{"x":"y"}}}`)
	s.merge(s.path, `{"metadata":{"labels":{"x":"y"}}}`)
	s.merge(s.path, `{"metadata":{"annotations":{"x":"y"}}}`)
	s.merge(s.path, `{"metadata":{"ownerReferences":[`+owner+`]}}`)
	s.merge(s.path, `{"metadata":{"generation":50}}`)
	s.merge(s.path, `{"metadata":{"labels":{"x":null},"annotations":{"x":null},"ownerReferences":null}}`)
	s.get(s.path)
}

// content is what a change of the content does.
func (s *kindScript) content() {
	s.create(nil)
	s.merge(s.path, s.encode(s.example.Change))
	s.merge(s.path, s.encode(s.example.Change))
	s.merge(s.path, s.encode(merged(s.example.Change, map[string]any{"metadata": map[string]any{"generation": 50}})))
	s.get(s.path)
}

// update is what a PUT does: to an object that is not there, and with versions.
func (s *kindScript) update() {
	s.put(s.path, s.encode(s.example.Body(map[string]any{"uid": otherUID})))
	s.put(s.path, s.encode(s.example.Body(map[string]any{"resourceVersion": "1"})))
	if a := s.put(s.path, s.encode(s.example.Body(nil))); a.code != http.StatusCreated {
		s.create(nil)
	}
	now, _ := s.send("GET", s.path, "")
	s.put(s.path, now.with("metadata.resourceVersion", nil, "metadata.labels.x", "y"))
	s.put(s.path, now.with("metadata.resourceVersion", "1"))
	s.put(s.path, now.with("metadata.uid", otherUID))
	s.put(s.path, now.with("metadata.name", "other"))
	now, _ = s.send("GET", s.path, "")
	s.put(s.path, now.with("metadata.labels.x", "z", "metadata.generation", 50, "metadata.creationTimestamp", nil, "metadata.uid", nil))
	now, _ = s.send("GET", s.path, "")
	s.put(s.path, now.with("status", s.example.Status["status"], "metadata.annotations.x", "y"))
	s.put(s.path, now.with()) // stale
}

// status is what a write of the status does to the rest.
func (s *kindScript) status() {
	s.get(s.path + "/status")
	created := s.create(map[string]any{"labels": map[string]any{"a": "b"}, "annotations": map[string]any{"a": "b"}})
	if len(s.example.Status) == 0 {
		s.get(s.path + "/status")
		s.put(s.path+"/status", created.with())
		s.merge(s.path+"/status", `{"metadata":{"labels":{"x":"y"}}}`)
		return
	}
	for _, name := range []string{"labels", "annotations"} {
		s.merge(s.path+"/status", `{"metadata":{"`+name+`":{"x":"y","a":null}}}`)
	}
	s.merge(s.path+"/status", `{"metadata":{"finalizers":["example.com/f"]}}`)
	s.merge(s.path+"/status", `{"metadata":{"ownerReferences":[`+owner+`]}}`)
	s.merge(s.path+"/status", s.encode(s.example.Status))
	s.merge(s.path+"/status", s.encode(s.example.Status))
	if s.example.Fixed == "" {
		s.merge(s.path+"/status", s.encode(s.example.Change))
	}
	now, _ := s.send("GET", s.path, "")
	s.put(s.path+"/status", now.with("metadata.resourceVersion", nil))
	s.put(s.path+"/status", now.with("metadata.resourceVersion", "1"))
	s.put(s.path+"/status", now.with("metadata.generation", 50))
	s.merge(s.path, `{"status":null}`)
	s.get(s.path)
	s.get(s.path + "/status")
	s.delete(s.path+"/status", "")
}

// others are the other subresources: what a change of the metadata through them does.
func (s *kindScript) others() {
	created := s.create(nil)
	for _, sub := range s.kind.Subresources {
		switch sub {
		case "status", "proxy", "exec", "attach", "portforward", "log", "token", "eviction", "binding": // not about the object
			continue
		}
		s.get(s.path + "/" + sub)
		s.merge(s.path+"/"+sub, `{"metadata":{"labels":{"x":"y"}},"spec":{"replicas":7}}`)
		s.put(s.path+"/"+sub, created.with("metadata.resourceVersion", nil, "metadata.labels.x", "y"))
	}
	s.get(s.path + "/nothing")
	s.merge(s.path+"/nothing", `{}`)
}

// fields is by which fields objects are selected.
func (s *kindScript) fields() {
	s.create(nil)
	for _, selector := range []string{
		"metadata.name=" + s.example.Name, "metadata.name!=" + s.example.Name, "metadata.namespace=$ns", "metadata.namespace=",
		"metadata.uid=a", "metadata.labels.a=b", "no.such.field=a",
	} {
		s.selected(selector)
	}
	for _, field := range tables.Fields {
		if s.selected(field + "=a") {
			s.selected(field + "!=a,metadata.name=" + s.example.Name)
			s.selected(field + "=,metadata.name=" + s.example.Name)
		}
	}
}

// selected lists by fields. Other objects may be in the lists of kinds without a namespace, so only
// the example is looked for. It reports whether objects can be selected so.
func (s *kindScript) selected(selector string) bool {
	path := s.collection + "?fieldSelector=" + strings.ReplaceAll(selector, "=", "%3D")
	a, headers := s.send("GET", path, "")
	e := exchange{Request: "GET " + path, Code: a.code, Header: headers, Body: a.doc}
	if items, ok := lookup(a.doc, "items").([]any); ok {
		found := false
		for _, item := range items {
			found = found || lookup(item, "metadata.name") == s.example.Name
		}
		e.Body = map[string]any{"kind": lookup(a.doc, "kind"), "found": found}
	}
	s.log = append(s.log, e)
	return a.code == http.StatusOK
}

// names are which names are accepted. The store is not asked.
func (s *kindScript) names() {
	for _, name := range []string{
		"a.b", "A", "A:b", "a_b", "1a", "-a", "a/b", "a%", ".", "..", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253), strings.Repeat("a", 254),
	} {
		s.post(s.collection+"?dryRun=All", s.encode(s.example.Body(map[string]any{"name": name})))
	}
	body := s.example.Body(map[string]any{"generateName": "Gen_"})
	delete(body["metadata"].(map[string]any), "name") //nolint:forcetypeassert // Body made it
	s.post(s.collection+"?dryRun=All", s.encode(body))
	delete(body, "metadata")
	s.post(s.collection+"?dryRun=All", s.encode(body))
}

// deletion is what a delete answers, with and without something that holds the object.
func (s *kindScript) deletion() {
	s.delete(s.path, "")
	s.create(map[string]any{"finalizers": []any{"example.com/f"}})
	s.delete(s.path+"?dryRun=All", "")
	s.delete(s.path, `{"preconditions":{"uid":"`+otherUID+`"}}`)
	s.delete(s.path, "")
	s.delete(s.path, "")
	s.merge(s.path, `{"metadata":{"labels":{"x":"y"}}}`)
	s.merge(s.path, `{"metadata":{"finalizers":null}}`)
	s.get(s.path)
	for _, options := range []string{"", `{"propagationPolicy":"Foreground"}`, `{"propagationPolicy":"Orphan"}`, `{"gracePeriodSeconds":0,"orphanDependents":false}`} {
		s.create(nil)
		s.delete(s.path, options)
		s.delete(s.path, options)
		s.merge(s.path, `{"metadata":{"finalizers":null}}`)
	}
}
