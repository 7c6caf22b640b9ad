package fakeapi

import (
	"encoding/base64"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// writeOptions are what a write may ask for.
type writeOptions struct {
	dryRun bool
	direct bool // by the test, not over HTTP: the status is kept

	// escalation refuses what gives rights that the user does not have; nil
	// refuses nothing.
	escalation func(old, content rest.Object) *rest.Status

	validation string // of unknown members
}

// systemMetadata is the metadata that a client cannot set.
var systemMetadata = []string{
	"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields",
}

// create stores a new object. The content is the callee's to change. The caller
// holds the mutex.
func (s *Server) create(r *resource, namespace string, content rest.Object, o writeOptions) (*object, *rest.Status) {
	if st := placeInNamespace(content, namespace); st != nil {
		return nil, st
	}
	m := meta(content)
	if st := s.checkNamespace(r, namespace, content.Name()); st != nil {
		return nil, st
	}
	if o.escalation != nil {
		if st := o.escalation(nil, content); st != nil {
			return nil, st
		}
	}
	s.beginLife(r, m)
	if r.kind.Status && !o.direct {
		delete(content, "status")
	}
	r.setDefaults(content)
	emptyToNull(content, r.zero)
	causes := append(r.validate(content), s.contentCauses(r, content, o)...)
	if len(causes) > 0 {
		return nil, r.invalid(content.Name(), causes...)
	}
	if content.ResourceVersion() != "" && !o.direct {
		return nil, internal("resourceVersion should not be set on objects to be created")
	}
	delete(m, "resourceVersion")
	if _, ok := r.objects[key(namespace, content.Name())]; ok {
		return nil, r.exists(content.Name())
	}
	delete(content, "kind")
	delete(content, "apiVersion")
	if o.dryRun {
		return &object{content: content}, nil
	}
	return s.insert(r, content), nil
}

// beginLife sets the metadata that the server gives to each new object.
func (s *Server) beginLife(r *resource, m map[string]any) {
	for _, name := range systemMetadata {
		delete(m, name)
	}
	name, _ := m["name"].(string)
	if prefix, _ := m["generateName"].(string); prefix != "" && name == "" {
		m["name"] = s.generateName(prefix)
	}
	m["uid"], m["creationTimestamp"] = s.newUID(), now()
	if r.traits.generation {
		m["generation"] = int64(1) // the other kinds keep what a client sets
	}
}

// placeInNamespace gives an object the namespace of the request, or refuses it
// for being of another one.
func placeInNamespace(content rest.Object, namespace string) *rest.Status {
	switch own := content.Namespace(); {
	case own == namespace:
	case namespace == "":
		delete(meta(content), "namespace")
	case own == "":
		meta(content)["namespace"] = namespace
	default:
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// setDefaults fills in what the real server always writes, and the defaults that
// its behaviour depends on. It is far from all defaults: those of a pod
// template, for example, are not filled in.
func (r *resource) setDefaults(content rest.Object) {
	switch r.kind.Resource() {
	case "namespaces":
		labels := content.Map("metadata", "labels")
		if labels == nil {
			labels = make(map[string]any)
			meta(content)["labels"] = labels
		}
		labels["kubernetes.io/metadata.name"] = content.Name()
		value.Default(content, []any{"kubernetes"}, "spec", "finalizers")
		value.Default(content, "Active", "status", "phase")
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
		value.Default(content, "Opaque", "type")
		foldStringData(content)
	case "clusterrolebindings.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io":
		rbac.SetBindingDefaults(content)
	case "services":
		value.Default(content, "ClusterIP", "spec", "type")
		value.Default(content, "None", "spec", "sessionAffinity")
	}
	r.fillZero(content)
}

// fillZero fills in what the real server always writes.
func (r *resource) fillZero(content rest.Object) {
	value.Fill(content, r.zero)
	if r.kind.Resource() != "pods" {
		return
	}
	for _, v := range content.Slice("status", "conditions") {
		if m, ok := v.(map[string]any); ok {
			value.Fill(m, map[string]any{"lastProbeTime": nil, "lastTransitionTime": nil})
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

// qosClass returns the quality of service that the requests and limits of a
// pod's containers make.
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

// emptyToNull makes lists that are empty what the store of the real server makes
// of them, where they are always written.
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
