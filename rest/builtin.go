package rest

// builtin is the table of built-in kinds, sorted by group and kind; of the
// versions of a kind the one that a current cluster prefers comes first.
var builtin = []Kind{
	{"", "v1", "ConfigMap", "configmaps", true, false},
	{"", "v1", "Endpoints", "endpoints", true, false},
	{"", "v1", "Event", "events", true, false},
	{"", "v1", "LimitRange", "limitranges", true, false},
	{"", "v1", "Namespace", "namespaces", false, true},
	{"", "v1", "Node", "nodes", false, true},
	{"", "v1", "PersistentVolume", "persistentvolumes", false, true},
	{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true, true},
	{"", "v1", "Pod", "pods", true, true},
	{"", "v1", "PodTemplate", "podtemplates", true, false},
	{"", "v1", "ReplicationController", "replicationcontrollers", true, true},
	{"", "v1", "ResourceQuota", "resourcequotas", true, true},
	{"", "v1", "Secret", "secrets", true, false},
	{"", "v1", "Service", "services", true, true},
	{"", "v1", "ServiceAccount", "serviceaccounts", true, false},

	{"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", false, false},
	{"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", false, true},
	{"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", false, false},
	{"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", false, false},

	{"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false, true},

	{"apiregistration.k8s.io", "v1", "APIService", "apiservices", false, true},

	{"apps", "v1", "ControllerRevision", "controllerrevisions", true, false},
	{"apps", "v1", "DaemonSet", "daemonsets", true, true},
	{"apps", "v1", "Deployment", "deployments", true, true},
	{"apps", "v1", "ReplicaSet", "replicasets", true, true},
	{"apps", "v1", "StatefulSet", "statefulsets", true, true},

	{"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", true, true},
	{"autoscaling", "v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", true, true},

	{"batch", "v1", "CronJob", "cronjobs", true, true},
	{"batch", "v1", "Job", "jobs", true, true},

	{"certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", false, true},

	{"coordination.k8s.io", "v1", "Lease", "leases", true, false},

	{"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true, false},

	{"events.k8s.io", "v1", "Event", "events", true, false},

	{"networking.k8s.io", "v1", "Ingress", "ingresses", true, true},
	{"networking.k8s.io", "v1", "IngressClass", "ingressclasses", false, false},
	{"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", true, false},

	{"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", false, false},

	{"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true, true},

	{"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", false, false},
	{"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", false, false},
	{"rbac.authorization.k8s.io", "v1", "Role", "roles", true, false},
	{"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", true, false},

	{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, false},

	{"storage.k8s.io", "v1", "CSIDriver", "csidrivers", false, false},
	{"storage.k8s.io", "v1", "CSINode", "csinodes", false, false},
	{"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", true, false},
	{"storage.k8s.io", "v1", "StorageClass", "storageclasses", false, false},
	{"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", false, true},
}
