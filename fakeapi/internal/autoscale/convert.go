package autoscale

import (
	"bytes"
	stdjson "encoding/json"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// ToV1 returns an autoscaler of v2 as v1 shows it. It takes over the content.
func ToV1(content map[string]any) map[string]any {
	dropNotes(content)
	notes := make(map[string]any)
	if spec, ok := content["spec"].(map[string]any); ok {
		specToV1(spec, notes)
	}
	if status, ok := content["status"].(map[string]any); ok {
		statusToV1(status, notes)
	}
	for name, note := range notes {
		value.Default(content, note, "metadata", "annotations", name)
	}
	return content
}

// specToV1 changes a spec of v2 to one of v1.
func specToV1(spec, notes map[string]any) {
	var others []any
	for _, m := range list(spec["metrics"]) {
		switch percent := cpuPercent(m, "target"); {
		case percent == nil:
			others = append(others, m)
		case spec[targetMember] == nil:
			spec[targetMember] = percent
		}
	}
	if len(others) > 0 {
		notes[metricsNote] = metricsText(others, "target")
	}
	if behavior, ok := spec["behavior"].(map[string]any); ok {
		notes[behaviorNote] = behaviorText(behavior)
	}
	delete(spec, "metrics")
	delete(spec, "behavior")
}

// statusToV1 changes a status of v2 to one of v1.
func statusToV1(status, notes map[string]any) {
	current := list(status["currentMetrics"])
	for _, m := range current {
		if percent := cpuPercent(m, "current"); percent != nil {
			status[currentMember] = percent
		}
	}
	if len(current) > 0 {
		notes[currentNote] = metricsText(current, "current")
	}
	if conditions := list(status["conditions"]); len(conditions) > 0 {
		notes[conditionsNote] = conditionsText(conditions)
	}
	delete(status, "currentMetrics")
	delete(status, "conditions")
}

// ToV2 returns an autoscaler of v1 as v2 shows it, without the defaults. It takes over the content.
// An annotation that cannot be read is ignored, as kube-apiserver does.
func ToV2(content map[string]any) map[string]any {
	note := func(name string, into any) bool {
		meta, _ := content["metadata"].(map[string]any)
		notes, _ := meta["annotations"].(map[string]any)
		text, _ := notes[name].(string)
		return text != "" && decode(text, into) == nil
	}
	if spec, ok := content["spec"].(map[string]any); ok {
		var metrics []any
		if note(metricsNote, &metrics) {
			metrics = metricsToV2(metrics, "target")
		}
		if percent := spec[targetMember]; percent != nil {
			metrics = append(metrics, cpuTarget(percent))
		}
		delete(spec, targetMember)
		if len(metrics) > 0 {
			spec["metrics"] = metrics
		}
		var behavior map[string]any
		if note(behaviorNote, &behavior) && len(behavior) > 0 {
			spec["behavior"] = lower(behavior)
		}
	}
	if status, ok := content["status"].(map[string]any); ok {
		if status["currentReplicas"] == int64(0) { // v2 leaves it out
			delete(status, "currentReplicas")
		}
		percent := status[currentMember]
		delete(status, currentMember)
		var current, conditions []any
		switch {
		case note(currentNote, &current):
			status["currentMetrics"] = metricsToV2(current, "current")
		case percent != nil:
			status["currentMetrics"] = []any{map[string]any{"type": "Resource", "resource": map[string]any{
				"name": "cpu", "current": map[string]any{utilizationMember: percent},
			}}}
		}
		if note(conditionsNote, &conditions) && len(conditions) > 0 {
			status["conditions"] = conditions
		}
	}
	dropNotes(content)
	return content
}

// decode reads the JSON of an annotation; integers become int64, as in every other object.
func decode(text string, into any) error {
	d := stdjson.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	switch into := into.(type) {
	case *[]any:
		for i := range *into {
			(*into)[i] = integers((*into)[i])
		}
	case *map[string]any:
		for k, v := range *into {
			(*into)[k] = integers(v)
		}
	}
	return nil
}

// integers turns the numbers of a value into int64.
func integers(v any) any {
	switch v := v.(type) {
	case stdjson.Number:
		n, err := v.Int64()
		if err != nil {
			return v.String()
		}
		return n
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	case map[string]any:
		for k, e := range v {
			v[k] = integers(e)
		}
	}
	return v
}

// list returns a list, or nil.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// encode appends a value as Go's encoding/json writes it into annotations: <, > and & are escaped.
func encode(out []byte, v any) []byte {
	var escaped bytes.Buffer
	stdjson.HTMLEscape(&escaped, value.Encode(v))
	return append(out, escaped.Bytes()...)
}
