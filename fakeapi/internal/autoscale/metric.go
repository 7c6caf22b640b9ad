package autoscale

import "strings"

// member is a member of a metric.
type member struct {
	v1     string // its name in v1; % is the word target or current
	v2     string // where it stands in v2; % is that word
	always string // the words with which v1 writes it even if there is none, then as "0"
}

const (
	nameOfMetric     = "metric.name"
	selectorOfMetric = "metric.selector"
)

// sources are the types of metrics, and the members of each in the order in which v1 writes them.
var sources = map[string][]member{
	"resource": {
		{"name", "name", ""},
		{"%AverageUtilization", "%.averageUtilization", ""},
		{"%AverageValue", "%.averageValue", "current"},
	},
	"containerResource": {
		{"name", "name", ""},
		{"%AverageUtilization", "%.averageUtilization", ""},
		{"%AverageValue", "%.averageValue", "current"},
		{"container", "container", ""},
	},
	"pods": {
		{"metricName", nameOfMetric, ""},
		{"%AverageValue", "%.averageValue", "target current"},
		{"selector", selectorOfMetric, ""},
	},
	"object": {
		{"target", "describedObject", ""},
		{"metricName", nameOfMetric, ""},
		{"%Value", "%.value", "target current"},
		{"selector", selectorOfMetric, ""},
		{"averageValue", "%.averageValue", ""},
	},
	"external": {
		{"metricName", nameOfMetric, ""},
		{"metricSelector", selectorOfMetric, ""},
		{"%Value", "%.value", "current"},
		{"%AverageValue", "%.averageValue", ""},
	},
}

// sourceOf returns the source that a metric has by its type ("ContainerResource").
func sourceOf(metric any) (name string, source map[string]any) {
	m, _ := metric.(map[string]any)
	kind, _ := m["type"].(string)
	if kind == "" {
		return "", nil
	}
	name = strings.ToLower(kind[:1]) + kind[1:]
	source, _ = m[name].(map[string]any)
	return name, source
}

// cpuPercent returns the utilization of a metric that v1 has a member for, or nil.
func cpuPercent(metric any, word string) any {
	name, source := sourceOf(metric)
	if name != "resource" || source["name"] != "cpu" {
		return nil
	}
	values, _ := source[word].(map[string]any)
	return values[utilizationMember]
}

// metricsText encodes metrics as v1 does. word is target or current.
func metricsText(metrics []any, word string) string {
	out := []byte{'['}
	for i, m := range metrics {
		if i > 0 {
			out = append(out, ',')
		}
		name, source := sourceOf(m)
		var w writer
		for _, f := range sources[name] {
			v := at(source, strings.ReplaceAll(f.v2, "%", word))
			if v == nil && strings.Contains(f.always, word) {
				v = "0"
			}
			w.member(strings.ReplaceAll(f.v1, "%", word), v)
		}
		out = append(out, `{"type":`...)
		out = encode(out, strings.ToUpper(name[:min(1, len(name))])+name[min(1, len(name)):])
		if source != nil {
			out = append(encode(append(out, ','), name), ':')
			out = append(out, w.object()...)
		}
		out = append(out, '}')
	}
	return string(append(out, ']'))
}

// metricsToV2 turns metrics of v1 into those of v2. It returns nil if one of them is of no known
// type.
func metricsToV2(metrics []any, word string) []any {
	out := make([]any, 0, len(metrics))
	for _, v := range metrics {
		m, _ := v.(map[string]any)
		name, source := sourceOf(m)
		if sources[name] == nil {
			return nil
		}
		converted := make(map[string]any)
		for _, f := range sources[name] {
			if v := source[strings.ReplaceAll(f.v1, "%", word)]; v != nil {
				put(converted, strings.ReplaceAll(f.v2, "%", word), v)
			}
		}
		if word == "target" {
			setType(converted)
		}
		out = append(out, map[string]any{"type": m["type"], name: converted})
	}
	return out
}

// setType adds what kind of target a metric of v2 has. A value beside an average is the zero that
// v1 always writes.
func setType(source map[string]any) {
	target, _ := source["target"].(map[string]any)
	switch {
	case target == nil:
	case target[utilizationMember] != nil:
		target["type"] = "Utilization"
	case target["averageValue"] != nil:
		target["type"] = "AverageValue"
		if target["value"] == "0" {
			delete(target, "value")
		}
	default:
		target["type"] = "Value"
	}
}

// at returns what stands at a path of one or two members.
func at(m map[string]any, path string) any {
	outer, inner, deep := strings.Cut(path, ".")
	if !deep {
		return m[outer]
	}
	next, _ := m[outer].(map[string]any)
	return next[inner]
}

// put sets what stands at a path of one or two members.
func put(m map[string]any, path string, v any) {
	outer, inner, deep := strings.Cut(path, ".")
	if !deep {
		m[outer] = v
		return
	}
	next, ok := m[outer].(map[string]any)
	if !ok {
		next = make(map[string]any)
		m[outer] = next
	}
	next[inner] = v
}
