package conformance_test

import (
	"fmt"
	"strings"
)

// Paths of collections.
const (
	core        = "/api/v1/namespaces/$ns/"
	configMaps  = core + "configmaps"
	secrets     = core + "secrets"
	pods        = core + "pods"
	services    = core + "services"
	events      = core + "events"
	deployments = "/apis/apps/v1/namespaces/$ns/deployments"
	roles       = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
)

// configMap gives a ConfigMap with labels written as a=b,c=d and data of one key.
func configMap(name, labels, value string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q%s},"data":{"k":%q}}`, name, labelsJSON(labels), value)
}

func event(name string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":%q},"involvedObject":{"kind":"Pod","namespace":"$ns","name":"pod-%s"},`+
		`"reason":"Testing","message":"m","type":"Normal","source":{"component":"test"},"firstTimestamp":"2026-01-02T03:04:05Z",`+
		`"lastTimestamp":"2026-01-02T03:04:05Z","count":1,"eventTime":null,"reportingComponent":"","reportingInstance":""}`, name, name)
}

func secret(name string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":%q},"data":{"k":"dg=="},"type":"Opaque"}`, name)
}

// The objects below say all that the server would fill in: defaults are not what the table is
// about.

const podSpec = `{"containers":[{"name":"c","image":"i:1","resources":{},"terminationMessagePath":"/dev/termination-log",` +
	`"terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always",%s` +
	`"terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"`

const podRest = `,"tolerations":[` +
	`{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},` +
	`{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],` +
	`"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"}`

// pod gives a Pod; with a node its deletion has to wait for a kubelet.
func pod(name, labels, node string) string {
	if node != "" {
		node = fmt.Sprintf(`"nodeName":%q,`, node)
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q%s},"spec":%s,"status":{"phase":"Pending","qosClass":"BestEffort"}}`,
		name, labelsJSON(labels), fmt.Sprintf(podSpec, node)+podRest)
}

func deployment(name string) string {
	return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q},"spec":{"replicas":1,`+
		`"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":%s}},`+
		`"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%%","maxSurge":"25%%"}},`+
		`"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}`, name, fmt.Sprintf(podSpec, ""))
}

func service(name string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"spec":{`+
		`"ports":[{"protocol":"TCP","port":80,"targetPort":80}],"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP",`+
		`"sessionAffinity":"None","selector":{"a":"b"},"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"},`+
		`"status":{"loadBalancer":{}}}`, name)
}

func clusterRole(name, labels string) string {
	return fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":%q%s},`+
		`"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]}`, name, labelsJSON(labels))
}

func namespace(name, labels string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q%s},"spec":{"finalizers":["kubernetes"]}}`, name, labelsJSON(labels))
}

func labelsJSON(labels string) string {
	if labels == "" {
		return ""
	}
	var members []string
	for pair := range strings.SplitSeq(labels, ",") {
		k, v, _ := strings.Cut(pair, "=")
		members = append(members, fmt.Sprintf("%q:%q", k, v))
	}
	return `,"labels":{` + strings.Join(members, ",") + `}`
}
