package fakeapi

import (
	"slices"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// nameRule is what a resource accepts as a name.
type nameRule int

const (
	subdomain nameRule = iota
	label
	pathSegment
)

// stored reports whether there are objects of a kind that clients create. A review is only ever
// asked, and a component status cannot be written.
func stored(s *rest.Served) bool {
	return slices.Contains(s.Verbs, "create") && slices.Contains(s.Verbs, "watch")
}

// builtIn returns what is known about a built-in kind, or nil.
func builtIn(k rest.Kind) *rest.Served {
	for s := range rest.Kinds() {
		if s.Kind.String() == k.String() && s.Kind.Plural == k.Plural {
			return &s
		}
	}
	return nil
}

// traits are how a resource behaves, as far as its rest.Kind does not say it.
type traits struct {
	generation  bool     // has a metadata.generation
	returns     bool     // a delete answers with the object, not with a Status
	conditional bool     // an update needs a resource version
	creates     bool     // an update makes an object that is not there
	names       nameRule // what it accepts as a name
	fields      []string // field selectors besides metadata.name and metadata.namespace
}

// traitsOf returns the traits of a built-in resource, by plural and group.
func traitsOf(name string) traits {
	t := traits{
		generation:  slices.Contains(withGeneration, name),
		returns:     slices.Contains(returnsDeleted, name),
		conditional: slices.Contains(conditionalUpdate, name),
		creates:     slices.Contains(createdByUpdate, name),
		fields:      fieldSelectors[name],
	}
	switch {
	case name == "namespaces", name == "services":
		t.names = label
	case strings.HasSuffix(name, ".rbac.authorization.k8s.io"):
		t.names = pathSegment
	}
	return t
}

// The lists below are read off the strategies of kube-apiserver v1.37.
var withGeneration = []string{
	"pods", "podtemplates", "replicationcontrollers",
	"daemonsets.apps", "deployments.apps", "replicasets.apps", "statefulsets.apps",
	"cronjobs.batch", "jobs.batch",
	"horizontalpodautoscalers.autoscaling",
	"ingresses.networking.k8s.io", "ingressclasses.networking.k8s.io", "networkpolicies.networking.k8s.io",
	"poddisruptionbudgets.policy",
	"endpointslices.discovery.k8s.io",
	"priorityclasses.scheduling.k8s.io",
	"customresourcedefinitions.apiextensions.k8s.io",
	"flowschemas.flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
	"mutatingadmissionpolicies.admissionregistration.k8s.io", "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
	"mutatingwebhookconfigurations.admissionregistration.k8s.io",
	"validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
	"validatingwebhookconfigurations.admissionregistration.k8s.io",
	"deviceclasses.resource.k8s.io", "devicetaintrules.resource.k8s.io", "resourceslices.resource.k8s.io",
}

var returnsDeleted = []string{
	"namespaces", "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates",
	"resourcequotas", "serviceaccounts", "services",
	"deviceclasses.resource.k8s.io", "resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io",
	"resourceslices.resource.k8s.io",
	"csidrivers.storage.k8s.io", "csinodes.storage.k8s.io", "storageclasses.storage.k8s.io",
	"volumeattachments.storage.k8s.io", "volumeattributesclasses.storage.k8s.io",
}

var conditionalUpdate = []string{
	"leases.coordination.k8s.io", "leasecandidates.coordination.k8s.io",
	"poddisruptionbudgets.policy", "runtimeclasses.node.k8s.io",
	"clustertrustbundles.certificates.k8s.io", "podcertificaterequests.certificates.k8s.io",
	"storageversionmigrations.storagemigration.k8s.io",
	"csidrivers.storage.k8s.io", "csinodes.storage.k8s.io", "csistoragecapacities.storage.k8s.io", "volumeattachments.storage.k8s.io",
	"mutatingadmissionpolicies.admissionregistration.k8s.io", "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
	"mutatingwebhookconfigurations.admissionregistration.k8s.io",
	"validatingadmissionpolicies.admissionregistration.k8s.io", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
	"validatingwebhookconfigurations.admissionregistration.k8s.io",
}

var createdByUpdate = []string{
	"endpoints", "events", "events.events.k8s.io", "limitranges", "services",
	"leases.coordination.k8s.io", "leasecandidates.coordination.k8s.io", "runtimeclasses.node.k8s.io",
	"clusterroles.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io",
	"roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io",
}

var fieldSelectors = map[string][]string{
	"pods": {
		"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
		"status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName", "spec.host",
	},
	"nodes":                  {"spec.unschedulable"},
	"replicationcontrollers": {"status.replicas"},
	"events": {
		"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
		"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
		"reason", "reportingComponent", "source", "type",
	},
	"events.events.k8s.io": {
		"reason", "regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid",
		"regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reportingController", "type",
	},
	"namespaces": {"status.phase"},
	"secrets":    {"type"},
	"services":   {"spec.clusterIP", "spec.type"},
	"jobs.batch": {"status.successful"},
	"certificatesigningrequests.certificates.k8s.io": {"spec.signerName"},
	"clustertrustbundles.certificates.k8s.io":        {"spec.signerName"},
	"podcertificaterequests.certificates.k8s.io":     {"spec.signerName", "spec.podName", "spec.nodeName"},
	"resourceslices.resource.k8s.io":                 {"spec.nodeName", "spec.driver", "spec.pool.name"},
}
