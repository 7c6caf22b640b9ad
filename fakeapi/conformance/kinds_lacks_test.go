package conformance_test

import "github.com/tideway-go/tideway/fakeapi/conformance/kinds"

const (
	namedPods   = "nobody warns of names that do not make good host names"
	namedAfter  = "names that have to match the content are not checked"
	oldEvents   = "refusals of events name the group of the request, not the core group"
	declarative = "names are refused with other words than those of declarative validation"
	noSubs      = "subresources that need a process or a controller are not implemented"
)

// kindLacks says what fakeapi leaves out on purpose, by resource and part.
var kindLacks = map[[2]string]string{
	{"deployments.apps", "names"}:                                  namedPods,
	{"replicasets.apps", "names"}:                                  namedPods,
	{"cronjobs.batch", "names"}:                                    namedPods,
	{"jobs.batch", "names"}:                                        namedPods,
	{"pods", "names"}:                                              namedPods,
	{"replicationcontrollers", "names"}:                            namedPods,
	{"apiservices.apiregistration.k8s.io", "names"}:                namedAfter,
	{"customresourcedefinitions.apiextensions.k8s.io", "names"}:    namedAfter,
	{"ipaddresses.networking.k8s.io", "names"}:                     namedAfter,
	{"clustertrustbundles.certificates.k8s.io", "names"}:           namedAfter,
	{"certificatesigningrequests.certificates.k8s.io", "others"}:   noSubs,
	{"pods", "others"}:                                             noSubs,
	{"customresourcedefinitions.apiextensions.k8s.io", "deletion"}: "definitions are not cleaned up",
	{"leasecandidates.coordination.k8s.io", "names"}:               "the names of lease candidates have a rule of their own",
	{"storageversions.internal.apiserver.k8s.io", "names"}:         namedAfter,
	{"limitranges", "names"}:                                       "limit ranges without a name are not given one",
	{"deviceclasses.resource.k8s.io", "names"}:                     declarative,
	{"evictions.lifecycle.k8s.io", "names"}:                        declarative,
	{"evictionrequests.lifecycle.k8s.io", "names"}:                 declarative,
	{"csinodes.storage.k8s.io", "status"}:                          "the status is behind a feature gate, and not dropped",
	{"events.events.k8s.io", "names"}:                              oldEvents,
	{"events.events.k8s.io", "deletion"}:                           oldEvents,
}

// lacksOf is why a part of a resource differs, or "".
func lacksOf(resource, part string, e *kinds.Example) string {
	if part == "content" && e.Fixed != "" {
		return e.Fixed + ", and specs are not validated"
	}
	return kindLacks[[2]string{resource, part}]
}
