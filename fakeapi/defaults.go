package fakeapi

import (
	"encoding/base64"

	"github.com/tideway-go/tideway/fakeapi/internal/autoscale"
	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// setDefaults fills in what kube-apiserver always writes, and the defaults that its behaviour
// depends on. These are far from all: those of a pod template, for example, are not filled in.
func (r *resource) setDefaults(content rest.Object) {
	switch r.kind.Resource() {
	case "namespaces":
		nameLabel(content)
		phase := "Active"
		if content.String("metadata", "deletionTimestamp") != "" { // as a test hands it in
			phase = "Terminating"
		}
		defaultPhase(content, phase)
	case "pods":
		value.Default(content, "Always", "spec", "restartPolicy")
		value.Default(content, int64(30), "spec", "terminationGracePeriodSeconds")
		value.Default(content, "default-scheduler", "spec", "schedulerName")
		value.Default(content, "ClusterFirst", "spec", "dnsPolicy")
		value.Default(content, true, "spec", "enableServiceLinks")
		value.Default(content, map[string]any{}, "spec", "securityContext")
		value.Default(content, "Pending", "status", "phase")
		value.Default(content, qosClass(content), "status", "qosClass")
	case "deployments.apps", "replicasets.apps", "statefulsets.apps", "replicationcontrollers":
		value.Default(content, int64(1), "spec", "replicas")
	case "secrets":
		if content["type"] == nil || content["type"] == "" {
			content["type"] = "Opaque"
		}
		foldStringData(content)
	case "clusterrolebindings.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io":
		rbac.SetBindingDefaults(content)
	case "horizontalpodautoscalers.autoscaling":
		if r.kind.Version == "v2" {
			autoscale.SetDefaults(content)
		}
	case "services":
		value.Default(content, "ClusterIP", "spec", "type")
		value.Default(content, "None", "spec", "sessionAffinity")
	}
	r.fillZero(content)
}

// fillZero fills in what kube-apiserver always writes.
func (r *resource) fillZero(content rest.Object) {
	value.Fill(content, r.zero)
	var zero map[string]any
	switch r.kind.Resource() {
	case "pods":
		zero = map[string]any{"lastProbeTime": nil, "lastTransitionTime": nil}
	case "namespaces":
		zero = map[string]any{"lastTransitionTime": nil}
	default:
		return
	}
	for _, v := range content.Slice("status", "conditions") {
		if m, ok := v.(map[string]any); ok {
			value.Fill(m, zero)
		}
	}
}

// foldStringData moves the stringData of a Secret to its data.
func foldStringData(content rest.Object) {
	for k, v := range content.Map("stringData") {
		if text, ok := v.(string); ok {
			value.Default(content, map[string]any{}, "data")
			content.Map("data")[k] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
	delete(content, "stringData")
}

// qosClass returns the quality of service that follows from the requests and limits of a pod's
// containers.
func qosClass(content rest.Object) string {
	class := "BestEffort"
	guaranteed := true
	for _, c := range content.Slice("spec", "containers") {
		m, _ := c.(map[string]any)
		requests, limits := rest.Object(m).Map("resources", "requests"), rest.Object(m).Map("resources", "limits")
		for _, name := range []string{"cpu", "memory"} {
			limit, limited := limits[name]
			request, requested := requests[name]
			if limited || requested {
				class = "Burstable"
			}
			guaranteed = guaranteed && limited && (!requested || value.Same(request, limit))
		}
	}
	if class == "Burstable" && guaranteed {
		return "Guaranteed"
	}
	return class
}

// emptyToNull turns empty lists that are always written into null, as the store of kube-apiserver
// does.
func emptyToNull(m, zero map[string]any) {
	for k, z := range zero {
		switch have := m[k].(type) {
		case []any:
			if z == nil && len(have) == 0 {
				m[k] = nil
			}
		case map[string]any:
			if inner, ok := z.(map[string]any); ok {
				emptyToNull(have, inner)
			}
		}
	}
}
