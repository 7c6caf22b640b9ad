package fakeapi

import (
	stdjson "encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// causeBudget is the cause of a refusal by a disruption budget.
const causeBudget = "DisruptionBudget"

// serveEviction deletes a pod, if the disruption budgets let it.
func (s *Server) serveEviction(w *response, r *http.Request, res *resource, q *query) {
	evictions := newResource(evictionKind, false)
	o, st := writeOptionsOf("CreateOptions", q.params)
	var content rest.Object
	if st == nil {
		content, st = s.readSub(w, r, evictions, q, o)
	}
	var how deleteOptions
	if st == nil {
		how, st = evictionOptions(evictions, content, q, o)
	}
	if st == nil {
		s.mu.Lock()
		st = s.evict(res, q.namespace, q.name, how)
		s.unlock()
		s.settle(res)
	}
	writeStatus(w, st)
}

// evictionOptions reads how an Eviction deletes.
func evictionOptions(evictions *resource, content rest.Object, q *query, w writeOptions) (deleteOptions, *rest.Status) {
	if content.Name() != q.name {
		return deleteOptions{}, badRequest("name in URL does not match name in Eviction object")
	}
	var body deleteBody
	if options, ok := content["deleteOptions"]; ok {
		if err := stdjson.Unmarshal(value.Encode(options), &body); err != nil {
			return deleteOptions{}, badRequest("Eviction in version %q cannot be handled as a Eviction: %v", "v1", err)
		}
	}
	if v, _ := content.Get("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential"); v == true {
		return deleteOptions{}, evictions.invalid(q.name, valid.Invalid("deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential",
			"true", "can not be set for pod eviction, try after removing the option"))
	}
	o := body.options()
	o.dryRun = o.dryRun || w.dryRun
	return o, nil
}

// evict deletes a pod as an Eviction does. The answer is a Status in any case.
// The caller holds the mutex.
func (s *Server) evict(r *resource, namespace, name string, o deleteOptions) *rest.Status {
	pod, ok := r.objects[key(namespace, name)]
	if !ok {
		return r.notFound(name)
	}
	phase := pod.content.String("status", "phase")
	free := slices.Contains([]string{"Succeeded", "Failed", "Pending"}, phase) || pod.content.String("metadata", "deletionTimestamp") != ""
	if !free {
		if st := s.spendBudget(pod, o.dryRun); st != nil {
			return st
		}
	}
	if !o.dryRun {
		if st := s.announceEviction(r, pod, &o); st != nil {
			return st
		}
	}
	if _, _, st := s.erase(r, namespace, name, o); st != nil {
		return st
	}
	return &rest.Status{Kind: "Status", APIVersion: "v1", Status: rest.StatusSuccess, Code: http.StatusCreated}
}

// announceEviction writes into the status of a pod why it ends. The version that
// the caller asks for, if any, is then that of the pod with this condition.
func (s *Server) announceEviction(r *resource, pod *object, o *deleteOptions) *rest.Status {
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
		pod = s.replace(r, pod, content)
	}
	if o.version != nil {
		v := pod.content.ResourceVersion()
		o.version = &v
	}
	return nil
}

// spendBudget takes one disruption from the budget of a running pod.
func (s *Server) spendBudget(pod *object, dryRun bool) *rest.Status {
	r := s.find("policy", "poddisruptionbudgets")
	var budgets []*object
	for _, k := range r.sortedKeys(r.objects, pod.content.Namespace()) {
		if b := r.objects[k]; guards(b.content, pod.content) {
			budgets = append(budgets, b)
		}
	}
	switch {
	case len(budgets) == 0:
		return nil
	case len(budgets) > 1:
		return failure(http.StatusInternalServerError, "",
			"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.", nil)
	}
	b := budgets[0]
	if !isReady(pod.content) {
		healthy, desired := b.content.Int("status", "currentHealthy"), b.content.Int("status", "desiredHealthy")
		if b.content.String("spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow" || healthy >= desired && desired > 0 {
			return nil // it does not count
		}
	}
	if st := budgetProblem(b.content); st != nil {
		return st
	}
	if !dryRun {
		s.replace(r, b, spent(b.content, pod.content.Name()))
	}
	return nil
}

// spent returns a budget with one disruption less.
func spent(budget rest.Object, pod string) rest.Object {
	content := rest.Object(value.CloneMap(budget))
	status := content.Map("status")
	left := content.Int("status", "disruptionsAllowed") - 1
	status["disruptionsAllowed"] = left
	value.Default(content, map[string]any{}, "status", "disruptedPods")
	content.Map("status", "disruptedPods")[pod] = now()
	if left > 0 {
		return content
	}
	observed := content.Int("status", "observedGeneration")
	condition := map[string]any{
		"type": "DisruptionAllowed", "status": "False", "lastTransitionTime": now(), "reason": "InsufficientPods", "message": "",
	}
	if observed != 0 {
		condition["observedGeneration"] = observed
	}
	value.Default(content, []any{}, "status", "conditions")
	conditions := content.Slice("status", "conditions")
	i := slices.IndexFunc(conditions, isCondition("DisruptionAllowed"))
	if i < 0 {
		status["conditions"] = append(conditions, condition)
		return content
	}
	if m, _ := conditions[i].(map[string]any); m["status"] == "False" {
		condition["lastTransitionTime"] = m["lastTransitionTime"]
	}
	conditions[i] = condition
	return content
}

// isCondition tells conditions of a type.
func isCondition(name string) func(any) bool {
	return func(v any) bool {
		m, _ := v.(map[string]any)
		return m["type"] == name
	}
}

func isReady(pod rest.Object) bool {
	i := slices.IndexFunc(pod.Slice("status", "conditions"), isCondition("Ready"))
	if i < 0 {
		return false
	}
	m, _ := pod.Slice("status", "conditions")[i].(map[string]any)
	return m["status"] == "True"
}

// guards tells whether a budget is about a pod.
func guards(budget, pod rest.Object) bool {
	selector := budget.Map("spec", "selector")
	if selector == nil {
		return false
	}
	text := selectorText(selector)
	if text == "" {
		return true
	}
	labels, err := rest.ParseLabels(text)
	return err == nil && labels.Matches(pod.Labels())
}

// budgetProblem tells why a budget allows no disruption now.
func budgetProblem(b rest.Object) *rest.Status {
	name := b.Name()
	var message string
	switch allowed := b.Int("status", "disruptionsAllowed"); {
	case b.Int("status", "observedGeneration") < b.Int("metadata", "generation"):
		st := overBudget("The disruption budget " + name + " is still being processed by the server.")
		st.Details.RetryAfterSeconds = 10
		return st
	case allowed < 0:
		return failure(http.StatusForbidden, rest.ReasonForbidden,
			fmt.Sprintf("poddisruptionbudget.policy %q is forbidden: pdb disruptions allowed is negative", name),
			&rest.StatusDetails{Name: name, Group: "policy", Kind: "poddisruptionbudget", Causes: []rest.StatusCause{{
				Type: causeBudget, Message: "The disruption budget " + name + " does not allow evicting pods currently: pdb disruptions allowed is negative",
			}}})
	case allowed > 0:
		return nil
	}
	var condition rest.Object
	if i := slices.IndexFunc(b.Slice("status", "conditions"), isCondition("DisruptionAllowed")); i >= 0 {
		condition, _ = b.Slice("status", "conditions")[i].(map[string]any)
	}
	why, says := condition.String("reason"), condition.String("message")
	no := condition.String("status") == "False" && says != ""
	healthy, desired := b.Int("status", "currentHealthy"), b.Int("status", "desiredHealthy")
	switch {
	case no && why == "SyncFailed":
		message = " does not allow evicting pods currently because it failed sync: " + says
	case healthy <= desired:
		message = fmt.Sprintf(" needs %d healthy pods and has %d currently", desired, healthy)
	case no:
		message = " does not allow evicting pods currently (" + why + "): " + says
	default:
		message = " does not allow evicting pods currently"
	}
	return overBudget("The disruption budget " + name + message)
}

func overBudget(message string) *rest.Status {
	return failure(http.StatusTooManyRequests, rest.ReasonTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.",
		&rest.StatusDetails{Causes: []rest.StatusCause{{Type: causeBudget, Message: message}}})
}
