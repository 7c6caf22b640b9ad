package conformance_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

const (
	mayI        = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	mayHe       = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
	mayHeHere   = "/apis/authorization.k8s.io/v1/namespaces/$ns/localsubjectaccessreviews"
	myRules     = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
	whoseToken  = "/apis/authentication.k8s.io/v1/tokenreviews"
	resourceFmt = `"resourceAttributes":{"namespace":%q,"verb":%q,"group":%q,"resource":%q}`
)

// reviewRows ask the server about users and their rights.
var reviewRows = []row{
	{name: "access reviews", run: func(s *script) {
		s.grant("jane-$ns", rule("get", "", "configmaps"), rule("*", "apps", "*"))
		jane := s.as("jane-$ns")
		for _, attributes := range []string{
			fmt.Sprintf(resourceFmt, "$ns", "get", "", "configmaps"), fmt.Sprintf(resourceFmt, "$ns", "list", "", "configmaps"),
			fmt.Sprintf(resourceFmt, "", "get", "", "configmaps"), fmt.Sprintf(resourceFmt, "default", "get", "", "configmaps"),
			`"resourceAttributes":{"namespace":"$ns","verb":"delete","group":"apps","version":"v1","resource":"deployments","subresource":"scale","name":"a"}`,
			`"resourceAttributes":{}`, `"resourceAttributes":{"namespace":"$ns"}`,
			`"nonResourceAttributes":{"path":"/apis","verb":"get"}`, `"nonResourceAttributes":{"path":"/metrics","verb":"get"}`,
		} {
			s.post(mayI, `{"spec":{`+attributes+`}}`, jane)
			s.post(mayI, `{"spec":{`+attributes+`}}`)
			s.post(mayHe, `{"spec":{`+attributes+`,"user":"jane-$ns","uid":"u","extra":{"k":["v"]}}}`)
			s.post(mayHe, `{"spec":{`+attributes+`,"user":"joe-$ns","groups":["system:masters"]}}`)
			s.post(mayHe, `{"spec":{`+attributes+`,"groups":["system:authenticated"]}}`)
		}
		s.post(mayHeHere, `{"metadata":{"namespace":"$ns"},"spec":{"user":"jane-$ns",`+fmt.Sprintf(resourceFmt, "$ns", "get", "", "configmaps")+`}}`)
		s.post(mayHeHere, `{"spec":{"user":"jane-$ns",`+fmt.Sprintf(resourceFmt, "$ns", "list", "", "configmaps")+`}}`)
	}},
	{name: "access reviews by more than one role", run: func(s *script) {
		ask := `{"spec":{"user":"jane-$ns","groups":["readers-$ns"],` + fmt.Sprintf(resourceFmt, "$ns", "get", "", "configmaps") + `}}`
		s.bind("lost", "Role", "lost", subject("User", "jane-$ns"))
		s.reason("not found")
		s.post(mayHe, ask)
		s.post(roles, clusterRoleOf("reader-$ns", rule("get", "", "configmaps")))
		s.post(clusterBindings, binding("ClusterRoleBinding", "reader-$ns", "ClusterRole", "reader-$ns", subject("Group", "other"), subject("Group", "readers-$ns")))
		s.may(true, "x", "readers-$ns", "get", "configmaps")
		s.post(mayHe, ask)
		s.bind("account", "ClusterRole", "reader-$ns", `{"kind":"ServiceAccount","name":"robot"}`)
		s.may(true, robot, "", "get", "configmaps")
		s.post(mayHe, `{"spec":{"user":"system:serviceaccount:$ns:robot",`+fmt.Sprintf(resourceFmt, "$ns", "get", "", "configmaps")+`}}`)
	}},
	{name: "access reviews refused", run: func(s *script) {
		attributes := fmt.Sprintf(resourceFmt, "$ns", "get", "", "configmaps")
		for _, path := range []string{mayI, mayHe, mayHeHere} {
			s.post(path, `{}`)
			s.post(path, `{"spec":{}}`)
			s.post(path, `{"spec":{`+attributes+`}}`)
			s.post(path, `{"spec":{"user":"jane",`+attributes+`,"nonResourceAttributes":{"path":"/version","verb":"get"}}}`)
			s.post(path, `{"spec":{"user":"jane","nonResourceAttributes":{"path":"/version","verb":"get"}}}`)
			s.post(path, `{"spec":{"user":"jane",`+fmt.Sprintf(resourceFmt, "default", "get", "", "configmaps")+`}}`)
			s.post(path, `{"metadata":{"name":"a"},"spec":{"user":"jane",`+attributes+`}}`)
			s.post(path, `{"metadata":{"labels":{"a":"b"}},"spec":{"user":"jane",`+attributes+`}}`)
			s.post(path, `{"metadata":{"namespace":"other"},"spec":{"user":"jane",`+attributes+`}}`)
			s.post(path, `{"spec":"text"}`)
			s.post(path, `{"spec":{"resourceAttributes":"text"}}`)
			s.post(path, `{"spec":{"resourceAttributes":{"verb":1}}}`)
			s.post(path, `{`)
			s.post(path, configMap("a", "", "v"))
			s.get(path)
			s.get(path + "/a")
			s.delete(path, "")
			s.put(path+"/a", `{}`)
			s.post(path, `{"spec":{"user":"jane",`+attributes+`}}`, as(conformance.NobodyToken))
			s.post(path+"?dryRun=All", `{"spec":{"user":"jane",`+attributes+`}}`)
			s.post(path+"?dryRun=Some", `{"spec":{"user":"jane",`+attributes+`}}`)
		}
		s.post("/apis/authorization.k8s.io/v1/localsubjectaccessreviews", `{"spec":{"user":"jane",`+attributes+`}}`)
		s.post("/apis/authorization.k8s.io/v1/namespaces/$ns/subjectaccessreviews", `{"spec":{"user":"jane",`+attributes+`}}`)
		s.post("/apis/authorization.k8s.io/v1/namespaces/none-$ns/localsubjectaccessreviews",
			`{"spec":{"user":"jane",`+fmt.Sprintf(resourceFmt, "none-$ns", "get", "", "configmaps")+`}}`)
	}},
	{name: "access reviews with selectors", run: func(s *script) {
		for _, selectors := range []string{
			`"fieldSelector":{"rawSelector":"metadata.name=a"}`, `"labelSelector":{"rawSelector":"a=b"}`, `"fieldSelector":{}`, `"labelSelector":{}`,
			`"fieldSelector":{"rawSelector":"a"}`, `"labelSelector":{"rawSelector":"a in"}`, `"fieldSelector":{"rawSelector":"a"},"labelSelector":{"rawSelector":"a in"}`,
		} {
			s.post(mayI, `{"spec":{"resourceAttributes":{"verb":"list","resource":"pods",`+selectors+`}}}`)
		}
	}},
	{name: "access reviews with requirements of selectors", lacks: "nothing decides by them", run: func(s *script) {
		s.post(mayI, `{"spec":{"resourceAttributes":{"verb":"list","resource":"pods","labelSelector":{"requirements":[{"key":"a","operator":"Exists"}]}}}}`)
	}},
	{name: "rules reviews", run: func(s *script) {
		s.grant("jane-$ns", rule("get,list", "", "configmaps", "a", "b"), rule("*", "apps", "*"))
		s.post(clusterBindings, binding("ClusterRoleBinding", "jane-$ns", "ClusterRole", "jane-$ns", subject("User", "jane-$ns")))
		s.post(roles, clusterRoleOf("jane-$ns", urlRule("get", "/metrics"), urlRule("*", "/debug/*")))
		s.until("jane-$ns", "", "get", "", "none", func(a answer) bool { return a.str("status.reason") == "" })
		s.rules(`{"spec":{"namespace":"$ns"}}`, s.as("jane-$ns"))
		s.rules(`{"spec":{"namespace":"default"}}`, s.as("jane-$ns"))
		s.rules(`{"spec":{"namespace":"$ns"}}`)
		s.rules(`{"spec":{"namespace":"$ns"}}`, as(conformance.AliceToken))
		s.rules(`{"metadata":{"name":"kept?"},"spec":{"namespace":"$ns"}}`)
		s.post(myRules, `{}`)
		s.post(myRules, `{"spec":{}}`, as(conformance.NobodyToken))
		s.post(myRules, `{"spec":{"namespace":"$ns"}}`, anonymous)
		s.get(myRules)
		s.bind("lost", "Role", "lost", subject("User", "jane-$ns"))
		s.reason("not found")
		s.rules(`{"spec":{"namespace":"$ns"}}`, s.as("jane-$ns"))
	}},
	{name: "token reviews", run: func(s *script) {
		s.post(whoseToken, `{"spec":{"token":"alice-token"}}`)
		s.post(whoseToken, `{"spec":{"token":"no-such-token"}}`)
		s.post(whoseToken, `{"spec":{}}`)
		s.post(whoseToken, `{"metadata":{"name":"a"},"spec":{"token":"alice-token"}}`)
		s.post(whoseToken, `{"spec":{"token":"alice-token"}}`, as(conformance.AliceToken))
		s.post(whoseToken, `{"spec":{"token":"`+s.account()+`"}}`)
		s.get(whoseToken)
	}},
	{name: "reviews of oneself", run: func(s *script) {
		s.post(whoAmI, `{"metadata":{"name":"a","labels":{"a":"b"}},"status":{"userInfo":{"username":"x"}}}`)
		s.post(whoAmI, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}`)
		s.post(whoAmI, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v2"}`)
		s.post(whoAmI, `{"unknown":1}`)
		s.post(whoAmI, ``)
		s.get(whoAmI)
	}},
	{name: "aggregated roles", lacks: "a controller would fill them in, and so long nobody knows", run: func(s *script) {
		s.post(roles, `{"metadata":{"name":"all-$ns"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"of":"$ns"}}]}}`)
		s.bind("all", "ClusterRole", "all-$ns", subject("User", "jane-$ns"))
		s.get(configMaps, s.as("jane-$ns"))
	}},
}

// rules asks for all rules of a user. Their order is that of nothing in particular: they are
// written down sorted.
func (s *script) rules(body string, o ...option) {
	s.t.Helper()
	a, headers := s.send("POST", myRules, body, o...)
	for _, list := range []string{"status.resourceRules", "status.nonResourceRules"} {
		rules, _ := lookup(a.doc, list).([]any)
		byText := map[string]any{}
		for _, r := range rules {
			byText[fmt.Sprint(r)] = r
		}
		for i, k := range slices.Sorted(maps.Keys(byText)) {
			rules[i] = byText[k]
		}
	}
	s.log = append(s.log, exchange{Request: "POST " + myRules, Code: a.code, Header: headers, Body: a.doc})
}
