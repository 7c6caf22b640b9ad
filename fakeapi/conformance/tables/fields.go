package tables

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Fields are those by which any kind might be selected, besides name and namespace.
var Fields = []string{
	"spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
	"status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
	"spec.unschedulable", "spec.replicas", "status.replicas", "status.successful",
	"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
	"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
	"regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
	"regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath",
	"reason", "reportingComponent", "reportingController", "source", "type",
	"spec.clusterIP", "spec.type", "spec.signerName", "spec.podName",
	"spec.driver", "spec.pool.name", "spec.parentRef.name", "spec.target.pod.name", "spec.storageClassName", "spec.group",
}

// noField is a field that no kind has.
const noField = "no.such.field"

// usualWords is what most kinds say about a field by which they cannot be selected.
const usualWords = `"` + noField + `" is not a known field selector: only "metadata.name", "metadata.namespace"`

// otherWords is what most of the others say.
const otherWords = "field label not supported: " + noField

// selectors measures by which fields objects can be selected.
func (m *measuring) selectors(ctx context.Context) error {
	r, err := m.send(ctx, http.MethodGet, m.path+"?fieldSelector="+noField+"=a", nil)
	if err != nil {
		return err
	}
	if words := r.text("message"); words != usualWords {
		m.traits.unknown = strings.ReplaceAll(words, noField, "%s")
	}
	if _, text, ok := strings.Cut(r.warning, " - "); ok {
		if m.traits.deprecated, err = strconv.Unquote(text); err != nil {
			return err
		}
	}
	for _, field := range Fields {
		ok, err := m.selects(ctx, field)
		if err != nil {
			return err
		}
		if ok {
			m.traits.fields = append(m.traits.fields, field)
		}
	}
	slices.Sort(m.traits.fields)
	ok, err := m.selects(ctx, "metadata.namespace")
	m.traits.placeless = !ok
	return err
}

// selects reports whether objects can be selected by a field.
func (m *measuring) selects(ctx context.Context, field string) (bool, error) {
	r, err := m.send(ctx, http.MethodGet, m.path+"?fieldSelector="+field+"=a", nil)
	return r.code != http.StatusBadRequest, err
}
