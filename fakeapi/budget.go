package fakeapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// spendBudget takes one disruption from the budget of a running pod.
func (t *tx) spendBudget(pod *object, dryRun bool) *rest.Status {
	r := t.find("policy", "poddisruptionbudgets")
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
		t.replace(r, b, spent(b.content, pod.content.Name()))
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

// isCondition recognises conditions of a type.
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

// guards reports whether a budget applies to a pod.
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

// budgetProblem says why a budget allows no disruption at present.
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
