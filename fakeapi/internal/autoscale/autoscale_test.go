package autoscale_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi/internal/autoscale"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// full is an autoscaler of v2 whose parts v1 has no members for.
func full() map[string]any {
	source := func(word, kind string, m, values map[string]any) any {
		m[word] = values
		return map[string]any{"type": kind, strings.ToLower(kind[:1]) + kind[1:]: m}
	}
	named := map[string]any{"name": "m"}
	return map[string]any{
		"metadata": map[string]any{"name": "a", "annotations": map[string]any{"k": "v"}},
		"spec": map[string]any{
			"minReplicas": int64(1), "maxReplicas": int64(3),
			"metrics": []any{
				source("target", "Pods", map[string]any{"metric": named}, map[string]any{"type": "AverageValue", "averageValue": "1k"}),
				source("target", "Object", map[string]any{"metric": named, "describedObject": named}, map[string]any{"type": "Value", "value": "5"}),
				source("target", "Object", map[string]any{"metric": named, "describedObject": named}, map[string]any{"type": "AverageValue", "averageValue": "5"}),
				source("target", "External", map[string]any{"metric": named}, map[string]any{"type": "Value", "value": "5"}),
				source("target", "ContainerResource", map[string]any{"name": "cpu", "container": "c"}, map[string]any{"type": "Utilization", "averageUtilization": int64(5)}),
				source("target", "Resource", map[string]any{"name": "cpu"}, map[string]any{"type": "Utilization", "averageUtilization": int64(50)}),
			},
			"behavior": map[string]any{"scaleDown": map[string]any{"policies": []any{map[string]any{"type": "Pods", "value": int64(1), "periodSeconds": int64(60)}}}},
		},
		"status": map[string]any{
			"desiredReplicas": int64(2),
			"conditions":      []any{map[string]any{"type": "AbleToScale", "status": "True", "lastTransitionTime": nil}},
			"currentMetrics":  []any{source("current", "Resource", map[string]any{"name": "cpu"}, map[string]any{"averageUtilization": int64(5), "averageValue": "5m"})},
		},
	}
}

// What v1 shows of an autoscaler of v2 is all of it.
func TestBothWays(t *testing.T) {
	old := autoscale.ToV1(full())
	for _, list := range []string{"metrics", "behavior"} {
		if _, ok := old["spec"].(map[string]any)[list]; ok {
			t.Errorf("v1 has %s", list)
		}
	}
	if diff := cmp.Diff(full(), autoscale.ToV2(old)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever annotations an autoscaler of v1 has, they are read or ignored.
func FuzzToV2(f *testing.F) {
	notes, _ := autoscale.ToV1(full())["metadata"].(map[string]any)["annotations"].(map[string]any)
	for name, note := range notes {
		text, _ := note.(string)
		f.Add(strings.TrimPrefix(name, "autoscaling.alpha.kubernetes.io/"), text)
	}
	for _, junk := range []string{"null", "[null]", `[{"type":"Pods"}]`, `[{"type":""}]`, `{"":1}`, `{"ScaleUp":[[1.5]]}`, `[{"type":"Resource","resource":{"target":1}}]`} {
		f.Add("metrics", junk)
		f.Add("behavior", junk)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		content := map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{"autoscaling.alpha.kubernetes.io/" + name: text}},
			"spec":     map[string]any{}, "status": map[string]any{},
		}
		v2 := autoscale.ToV2(content)
		autoscale.SetDefaults(v2)
		if v1 := autoscale.ToV1(value.CloneMap(v2)); !json.Valid(value.Encode(v1)) || !json.Valid(value.Encode(v2)) {
			t.Errorf("%v, %v", v1, v2)
		}
	})
}
