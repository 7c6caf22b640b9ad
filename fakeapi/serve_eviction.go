package fakeapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// causeBudget is the cause of a refusal by a disruption budget.
const causeBudget = "DisruptionBudget"

// serveEviction deletes a pod, if the disruption budgets allow it.
func (s *Server) serveEviction(_ context.Context, r *request) (answer, *rest.Status) {
	o, st := writeOptionsOf("CreateOptions", r.params)
	if st != nil {
		return nil, st
	}
	evictions := partOf(evictionKind)
	content, st := r.readSub(evictions, o)
	if st != nil {
		return nil, st
	}
	how, st := evictionOptions(evictions, content, r.query, o)
	if st != nil {
		return nil, st
	}
	return statusAnswer{s.store.write(func(t *tx) *rest.Status { return t.evict(r.res, r.namespace, r.name, how) })}, nil
}

// evictionOptions reads how an Eviction deletes.
func evictionOptions(evictions *resource, content rest.Object, q *query, w writeOptions) (deleteOptions, *rest.Status) {
	if content.Name() != q.name {
		return deleteOptions{}, badRequest("name in URL does not match name in Eviction object")
	}
	o, err := decodeDeleteOptions(value.Encode(content), true)
	if err != nil {
		return o, badRequest("%v", err)
	}
	if o.unsafe {
		return o, evictions.invalid(q.name, valid.Invalid("deleteOptions."+ignoreReadError, "true", "can not be set for pod eviction, try after removing the option"))
	}
	if asked := q.params["dryRun"]; len(o.stages) > 0 && len(asked) > 0 && !slices.Equal(asked, o.stages) {
		return o, internal(fmt.Sprintf("Non-matching dry-run options in request and content: %v and %v", asked, o.stages))
	}
	o.dryRun = o.dryRun || w.dryRun
	return o, nil
}

// evict deletes a pod as an Eviction does. It returns a Status in any case.
func (t *tx) evict(r *resource, namespace, name string, o deleteOptions) *rest.Status {
	pod, ok := r.objects[key(namespace, name)]
	if !ok {
		return r.notFound(name)
	}
	if st := o.check(); st != nil {
		return st
	}
	phase := pod.content.String("status", "phase")
	free := slices.Contains([]string{"Succeeded", "Failed", "Pending"}, phase) || pod.content.String("metadata", "deletionTimestamp") != ""
	if !free {
		if st := t.spendBudget(pod, o.dryRun); st != nil {
			return st
		}
	}
	if !o.dryRun {
		if st := t.announceEviction(r, pod, &o); st != nil {
			return st
		}
	}
	if _, _, st := t.erase(r, namespace, name, o); st != nil {
		return st
	}
	return &rest.Status{Kind: "Status", APIVersion: "v1", Status: rest.StatusSuccess, Code: http.StatusCreated}
}

// announceEviction writes into the status of a pod why it ends. If the caller asks for a version,
// that is then the version of the pod with this condition.
func (t *tx) announceEviction(r *resource, pod *object, o *deleteOptions) *rest.Status {
	if st := r.checkPreconditions(pod, *o); st != nil {
		return st
	}
	content := rest.Object(value.CloneMap(pod.content))
	value.Default(content, []any{}, "status", "conditions")
	status := content.Map("status")
	conditions := slices.DeleteFunc(content.Slice("status", "conditions"), func(v any) bool {
		m, _ := v.(map[string]any)
		return m["type"] == "DisruptionTarget"
	})
	since := now()
	for _, v := range pod.content.Slice("status", "conditions") {
		if m, _ := v.(map[string]any); m["type"] == "DisruptionTarget" && m["status"] == "True" {
			since = rest.Object(m).String("lastTransitionTime")
		}
	}
	status["conditions"] = append(conditions, map[string]any{
		"type": "DisruptionTarget", "status": "True", "lastProbeTime": nil, "lastTransitionTime": since,
		"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
	})
	if !value.SameMap(pod.content, content, "metadata") {
		pod = t.replace(r, pod, content)
	}
	if o.version != nil {
		v := pod.content.ResourceVersion()
		o.version = &v
	}
	return nil
}
