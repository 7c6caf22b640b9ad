// Package autoscale converts HorizontalPodAutoscalers between autoscaling/v1 and autoscaling/v2, as
// kube-apiserver does, which stores each of them once and shows it in both.
//
// What v1 has no members for, it shows as JSON in four annotations: all metrics but the utilization
// of CPU, the behavior, the conditions, and the current metrics.
package autoscale

import "github.com/tideway-go/tideway/fakeapi/internal/value"

// The annotations of v1 for what it has no members for.
const (
	prefix            = "autoscaling.alpha.kubernetes.io/"
	metricsNote       = prefix + "metrics"
	behaviorNote      = prefix + "behavior"
	conditionsNote    = prefix + "conditions"
	currentNote       = prefix + "current-metrics"
	targetMember      = "targetCPUUtilizationPercentage"
	currentMember     = "currentCPUUtilizationPercentage"
	utilizationMember = "averageUtilization"
)

// SetDefaults fills in what kube-apiserver fills into an autoscaler of v2. The annotations of v1
// are dropped.
func SetDefaults(content map[string]any) {
	dropNotes(content)
	value.Default(content, int64(1), "spec", "minReplicas")
	spec, ok := content["spec"].(map[string]any)
	if !ok {
		return
	}
	if value.IsEmpty(spec["metrics"]) {
		spec["metrics"] = []any{cpuTarget(int64(80))}
	}
	behavior, ok := spec["behavior"].(map[string]any)
	if !ok {
		return
	}
	percent := func() any {
		return map[string]any{"type": "Percent", "value": int64(100), "periodSeconds": int64(15)}
	}
	pods := map[string]any{"type": "Pods", "value": int64(4), "periodSeconds": int64(15)}
	value.Default(behavior, int64(0), "scaleUp", "stabilizationWindowSeconds")
	value.Default(behavior, "Max", "scaleUp", "selectPolicy")
	value.Default(behavior, []any{pods, percent()}, "scaleUp", "policies")
	value.Default(behavior, "Max", "scaleDown", "selectPolicy")
	value.Default(behavior, []any{percent()}, "scaleDown", "policies")
}

// dropNotes removes the annotations that stand for members of v2.
func dropNotes(content map[string]any) {
	meta, _ := content["metadata"].(map[string]any)
	notes, _ := meta["annotations"].(map[string]any)
	for _, name := range []string{metricsNote, behaviorNote, conditionsNote, currentNote} {
		delete(notes, name)
	}
	if meta != nil && value.IsEmpty(meta["annotations"]) {
		delete(meta, "annotations")
	}
}

// cpuTarget is the metric of v2 that v1 has a member for.
func cpuTarget(percent any) any {
	return map[string]any{"type": "Resource", "resource": map[string]any{
		"name": "cpu", "target": map[string]any{"type": "Utilization", utilizationMember: percent},
	}}
}
