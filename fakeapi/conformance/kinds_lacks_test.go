package conformance_test

import "github.com/tideway-go/tideway/fakeapi/conformance/kinds"

const (
	namedPods  = "nobody warns of names that do not make good host names"
	namedAfter = "names that have to match the content are not checked"
	oldEvents  = "refusals of events name the group of the request, not the core group"
	noSubs     = "subresources that need a process or a controller are not implemented"
)

// kindLacks says what fakeapi leaves out on purpose, by kind and part.
var kindLacks = map[[2]string]string{
	{"apps/v1/Deployment", "names"}:                                  namedPods,
	{"apps/v1/ReplicaSet", "names"}:                                  namedPods,
	{"batch/v1/CronJob", "names"}:                                    namedPods,
	{"batch/v1/Job", "names"}:                                        namedPods,
	{"v1/Pod", "names"}:                                              namedPods,
	{"v1/ReplicationController", "names"}:                            namedPods,
	{"apiregistration.k8s.io/v1/APIService", "names"}:                namedAfter,
	{"apiextensions.k8s.io/v1/CustomResourceDefinition", "names"}:    namedAfter,
	{"networking.k8s.io/v1/IPAddress", "names"}:                      namedAfter,
	{"certificates.k8s.io/v1/ClusterTrustBundle", "names"}:           namedAfter,
	{"certificates.k8s.io/v1/CertificateSigningRequest", "others"}:   noSubs,
	{"v1/Pod", "others"}:                                             noSubs,
	{"v1/Namespace", "others"}:                                       noSubs,
	{"apiextensions.k8s.io/v1/CustomResourceDefinition", "deletion"}: "definitions are not cleaned up",
	{"v1/Namespace", "deletion"}:                                     "namespaces are not cleaned up",
	{"v1/LimitRange", "names"}:                                       "limit ranges without a name are not given one",
	{"resource.k8s.io/v1/DeviceClass", "names"}:                      "the name is refused with the words of declarative validation",
	{"storage.k8s.io/v1/CSINode", "status"}:                          "the status is behind a feature gate, and not dropped",
	{"events.k8s.io/v1/Event", "names"}:                              oldEvents,
	{"events.k8s.io/v1/Event", "deletion"}:                           oldEvents,
}

// lacksOf is why a part of a kind differs, or "".
func lacksOf(kind, part string, e *kinds.Example) string {
	if part == "content" && e.Fixed != "" {
		return e.Fixed + ", and specs are not validated"
	}
	return kindLacks[[2]string{kind, part}]
}
