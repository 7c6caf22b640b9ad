package conformance_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

const (
	rbac            = "/apis/rbac.authorization.k8s.io/v1/"
	namespacedRoles = rbac + "namespaces/$ns/roles"
	roleBindings    = rbac + "namespaces/$ns/rolebindings"
	clusterBindings = rbac + "clusterrolebindings"
)

// rbacRows are roles, and what the users may do to whom they are bound.
var rbacRows = []row{
	{name: "roles allow verbs", run: func(s *script) {
		s.grant("jane-$ns", rule("get,list", "", "configmaps"))
		jane := s.as("jane-$ns")
		s.post(configMaps, configMap("a", "", "v"))
		s.get(configMaps+"/a", jane)
		s.get(configMaps, jane)
		s.watch(watchConfigMaps, jane)
		s.post(configMaps, configMap("b", "", "v"), jane)
		s.put(configMaps+"/a", configMap("a", "", "w"), jane)
		s.merge(configMaps+"/a", `{}`, jane)
		s.delete(configMaps+"/a", "", jane)
		s.delete(configMaps, "", jane)
		s.get(secrets, jane)
		s.get(deployments, jane)
		s.get("/api/v1/configmaps", jane)
		s.get("/api/v1/namespaces/default/configmaps", jane)
		s.get("/api/v1/namespaces/$ns", jane)
		s.get("/api/v1/nodes/none", jane)
		s.do("OPTIONS", configMaps, "", jane)
		s.get(configMaps, s.as("joe-$ns"))
	}},
	{name: "roles allow everything", run: func(s *script) {
		s.grant("jane-$ns", rule("*", "*", "*"))
		jane := s.as("jane-$ns")
		s.post(configMaps, configMap("a", "", "v"), jane)
		s.post(deployments, deployment("a"), jane)
		s.get(deployments+"/a/scale", jane)
		s.delete(configMaps, "", jane)
		s.get("/api/v1/namespaces/$ns", jane) // which is in itself
		s.get("/api/v1/namespaces", jane)
		s.get("/metrics", jane)
		s.get("/api/v1/namespaces/default/configmaps", jane)
	}},
	{name: "roles allow groups of resources", run: func(s *script) {
		s.define()
		s.grant("jane-$ns", rule("list", "apps,example.com", "widgets,deployments,configmaps"))
		jane := s.as("jane-$ns")
		s.get(deployments, jane)
		s.get(widgets, jane)
		s.get(configMaps, jane)
		s.grant("joe-$ns", rule("list", "*", "configmaps,events"))
		joe := s.as("joe-$ns")
		s.get(configMaps, joe)
		s.get("/apis/events.k8s.io/v1/namespaces/$ns/events", joe)
		s.get(deployments, joe)
	}},
	{name: "roles allow subresources", run: func(s *script) {
		s.post(deployments, deployment("a"))
		s.run("p")
		s.grant("jane-$ns", rule("get,patch", "apps", "deployments/scale"), rule("create", "", "pods/eviction"), rule("patch", "*", "*/status"))
		jane := s.as("jane-$ns")
		s.get(deployments+"/a/scale", jane)
		s.merge(deployments+"/a/scale", `{"spec":{"replicas":2}}`, jane)
		s.get(deployments+"/a", jane)
		s.get(deployments+"/a/status", jane)
		s.merge(deployments+"/a/status", `{"status":{"replicas":1}}`, jane)
		s.merge(deployments+"/a", `{"spec":{"replicas":1}}`, jane)
		s.get("/apis/apps/v1/namespaces/$ns/statefulsets/a/scale", jane)
		s.post(pods+"/p/eviction", `{"metadata":{"name":"p"},"deleteOptions":{"gracePeriodSeconds":0}}`, jane)
		s.get(pods+"/p", jane)
		s.get(pods+"/p/log", jane)
		s.get(pods+"/p/log/more", jane)
		s.grant("joe-$ns", rule("get", "*", "*/scale"))
		s.get(deployments+"/a/scale", s.as("joe-$ns"))
		s.get(deployments+"/a/status", s.as("joe-$ns"))
	}},
	{name: "roles allow names", run: func(s *script) {
		s.grant("jane-$ns", rule("*", "", "configmaps", "a", "gen-"))
		jane := s.as("jane-$ns")
		s.post(configMaps, configMap("a", "", "v"))
		s.post(configMaps, configMap("b", "", "v"))
		s.get(configMaps+"/a", jane)
		s.get(configMaps+"/b", jane)
		s.merge(configMaps+"/a", `{"data":{"k":"w"}}`, jane)
		s.get(configMaps, jane)
		s.post(configMaps, configMap("a", "", "v"), jane) // a create has no name yet
		s.post(configMaps, `{"metadata":{"generateName":"gen-"}}`, jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3Da", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3D%3Da", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3Db", jane)
		s.get(configMaps+"?fieldSelector=metadata.name!%3Da", jane)
		s.get(configMaps+"?fieldSelector=metadata.namespace%3D$ns,metadata.name%3Da", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3Da&limit=5", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3Da&limit=five", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3Da&labelSelector=x%20in", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3Da%2Fb", jane)
		s.get(configMaps+"?fieldSelector=metadata.name%3D", jane)
		s.get(configMaps+"?fieldSelector=metadata.name", jane)
		w := s.watch(watchConfigMaps+"&fieldSelector=metadata.name%3Da", jane)
		w.next(1)
		w.close()
		s.watch(watchConfigMaps+"&fieldSelector=metadata.name%3Db", jane)
		s.watch(watchConfigMaps, jane)
		s.delete(configMaps+"?fieldSelector=metadata.name%3Da", "", jane)
		s.delete(configMaps+"/a", "", jane)
	}},
	{name: "subjects of bindings", run: func(s *script) {
		s.post(namespacedRoles, role("reader", rule("get", "", "configmaps")))
		s.post(configMaps, configMap("a", "", "v"))
		s.bind("group", "Role", "reader", subject("Group", "readers-$ns"))
		s.bind("account", "Role", "reader", `{"kind":"ServiceAccount","name":"robot"}`, `{"kind":"ServiceAccount","name":"other","namespace":"default"}`)
		s.bind("nobody", "Role", "reader")
		s.may(true, "x", "readers-$ns", "get", "configmaps")
		s.may(true, "system:serviceaccount:$ns:robot", "", "get", "configmaps")
		s.get(configMaps+"/a", s.as("jane-$ns", "readers-$ns"))
		s.get(configMaps+"/a", s.as("jane-$ns", "writers-$ns"))
		s.get(configMaps+"/a", s.as("readers-$ns"))
		s.get(configMaps+"/a", s.as("system:serviceaccount:$ns:robot"))
		s.get(configMaps+"/a", s.as("system:serviceaccount:default:robot"))
		s.get(configMaps+"/a", s.as("system:serviceaccount:default:other"))
		s.get(configMaps+"/a", s.as("robot"))
	}},
	{name: "cluster role bound in a namespace and everywhere", run: func(s *script) {
		s.post(roles, clusterRoleOf("reader-$ns", rule("get,list", "", "configmaps,namespaces"), urlRule("get", "/metrics/slis", "/debug/*")))
		s.bind("local", "ClusterRole", "reader-$ns", subject("User", "jane-$ns"))
		s.may(true, "jane-$ns", "", "get", "configmaps")
		jane := s.as("jane-$ns")
		s.get(configMaps+"/none", jane)
		s.get("/api/v1/namespaces/default/configmaps/none-$ns", jane)
		s.get("/api/v1/namespaces/$ns", jane)
		s.get("/api/v1/namespaces/default", jane)
		s.get("/api/v1/configmaps?labelSelector=none-$ns", jane)
		s.get("/debug/none", jane)
		s.post(clusterBindings, binding("ClusterRoleBinding", "global-$ns", "ClusterRole", "reader-$ns", subject("User", "joe-$ns")))
		s.may(true, "joe-$ns", "", "get", "configmaps")
		joe := s.as("joe-$ns")
		s.get(configMaps+"/none", joe)
		s.get("/api/v1/namespaces/default/configmaps/none-$ns", joe)
		s.get("/api/v1/configmaps?labelSelector=none-$ns", joe)
		s.get("/debug/none", joe)
		s.get("/debug", joe)
		s.post("/debug/none", "", joe)
		s.get("/metrics", joe)
	}},
	{name: "roles that change", run: func(s *script) {
		s.bind("early", "Role", "reader", subject("User", "jane-$ns"))
		s.post(clusterBindings, binding("ClusterRoleBinding", "lost-$ns", "ClusterRole", "lost-$ns", subject("User", "jane-$ns")))
		jane := s.as("jane-$ns")
		s.reason("found, ")
		s.get(configMaps+"/none", jane) // the roles are not there
		s.post(namespacedRoles, role("reader", rule("get", "", "configmaps")))
		s.may(true, "jane-$ns", "", "get", "configmaps")
		s.get(configMaps+"/none", jane)
		s.get(configMaps, jane) // one still is not
		s.merge(namespacedRoles+"/reader", `{"rules":[{"verbs":["list"],"apiGroups":[""],"resources":["configmaps"]}]}`)
		s.may(false, "jane-$ns", "", "get", "configmaps")
		s.get(configMaps, jane)
		s.delete(roleBindings+"/early", "")
		s.may(false, "jane-$ns", "", "list", "configmaps")
		s.get(configMaps, jane)
		s.delete(clusterBindings+"/lost-$ns", "")
		s.reason("")
		s.get(configMaps, jane)
	}},
	{name: "default roles", run: func(s *script) {
		for _, name := range []string{"cluster-admin", "system:discovery", "system:basic-user", "system:public-info-viewer"} {
			s.get(roles + "/" + name)
			s.get(clusterBindings + "/" + name)
		}
		jane, nobody := s.as("jane-$ns"), s.as("system:anonymous")
		for _, path := range []string{"/api", "/apis/example.org", "/version", "/healthz", "/openapi/none", "/metrics", "/none", "/"} {
			s.status(path, jane)
			s.status(path, nobody)
		}
		s.post(clusterBindings, binding("ClusterRoleBinding", "admin-$ns", "ClusterRole", "cluster-admin", subject("User", "jane-$ns")))
		s.may(true, "jane-$ns", "", "list", "secrets")
		s.get(secrets, jane)
		s.get("/none", jane)
	}},
	{name: "roles refused", run: func(s *script) {
		for _, rules := range []string{
			`[{}]`, `[{"verbs":["get"]}]`, `[{"verbs":[],"apiGroups":[""],"resources":["pods"]}]`, `[{"verbs":["get"],"apiGroups":[""]}]`, `[{"verbs":["get"],"resources":["pods"]}]`,
			`[{"verbs":["get"],"nonResourceURLs":["/a","/b"]}]`, `[{"verbs":["get"],"nonResourceURLs":["/a"],"apiGroups":[""],"resources":["pods"]}]`,
			`[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]},{"verbs":["get"],"resourceNames":["a"]}]`, `null`, `[]`,
		} {
			s.post(namespacedRoles, `{"metadata":{"name":"a"},"rules":`+rules+`}`, dryRun)
			s.post(roles, `{"metadata":{"name":"a-$ns"},"rules":`+rules+`}`, dryRun)
		}
		s.post(roles, `{"metadata":{"name":"a-$ns"},"aggregationRule":{},"rules":[]}`, dryRun)
		s.post(roles, `{"metadata":{"name":"a-$ns"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}}`, dryRun)
	}},
	{name: "bindings refused", run: func(s *script) {
		for _, body := range []string{
			`"subjects":[]`, `"roleRef":{"kind":"Role","name":"r"}`, `"roleRef":{"kind":"ClusterRole","name":"r"}`, `"roleRef":{"kind":"Pod","name":"r","apiGroup":"other"}`,
			`"roleRef":{"kind":"ClusterRole","name":"a/b"}`, `"roleRef":{"kind":"ClusterRole"}`,
			`"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User"},{"kind":"Group","name":"g","apiGroup":"other"},{"kind":"Pod","name":"p"}]`,
			`"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"ServiceAccount","name":"s"},{"kind":"ServiceAccount","name":"A","apiGroup":"x","namespace":"n"},{"name":"x"}]`,
			`"roleRef":{"kind":"ClusterRole","name":"r"},"subjects":[{"kind":"User","name":"u","namespace":"n"},{"kind":"User","name":"u"}]`,
		} {
			s.post(roleBindings, `{"metadata":{"name":"a"},`+body+`}`, dryRun)
			s.post(clusterBindings, `{"metadata":{"name":"a-$ns"},`+body+`}`, dryRun)
		}
		created := s.bind("a", "ClusterRole", "r", subject("User", "jane-$ns"))
		s.put(roleBindings+"/a", created.with("roleRef.name", "other"))
		s.merge(roleBindings+"/a", `{"roleRef":{"kind":"Role","name":"r"},"subjects":null}`)
		s.merge(roleBindings+"/a", `{"roleRef":{"apiGroup":null},"subjects":null}`)
	}},
	{name: "update that creates", run: func(s *script) {
		s.grant("jane-$ns", rule("update,get", "*", "*"))
		jane := s.as("jane-$ns")
		s.put(namespacedRoles+"/new", role("new", rule("get", "", "configmaps")), jane)
		s.put(namespacedRoles+"/new", role("new", rule("get", "", "configmaps")))
		s.put(namespacedRoles+"/new", role("new", rule("get", "", "configmaps")))
		s.put(namespacedRoles+"/other", `{"metadata":{"name":"other","uid":"00000000-0000-4000-8000-000000000000"}}`)
		s.put(namespacedRoles+"/other", `{"metadata":{"name":"other","resourceVersion":"5"}}`)
		s.put(namespacedRoles+"/dry", `{"metadata":{"name":"dry"}}`, dryRun)
		s.put(namespacedRoles+"/another", `{"metadata":{"name":"other"}}`)
		s.merge(namespacedRoles+"/another", `{}`)
		s.get(namespacedRoles)
		const leases = "/apis/coordination.k8s.io/v1/namespaces/$ns/leases"
		s.put(leases+"/a", `{"metadata":{"name":"a"},"spec":{"holderIdentity":"x"}}`, jane)
		s.put(leases+"/a", `{"metadata":{"name":"a"},"spec":{"holderIdentity":"x"}}`)
		s.put(services+"/a", service("a"))
		s.put(events+"/a", event("a"))
		s.put(core+"endpoints/a", `{"metadata":{"name":"a"}}`)
		s.put(core+"limitranges/a", `{"metadata":{"name":"a"},"spec":{"limits":[]}}`)
		s.put("/api/v1/namespaces/none-$ns/services/a", service("a"))
	}},
}

// rule is a rule of a role, of words with commas between.
func rule(verbs, groups, resources string, names ...string) string {
	quoted := func(list string) string { return `["` + strings.ReplaceAll(list, ",", `","`) + `"]` }
	r := fmt.Sprintf(`{"verbs":%s,"apiGroups":%s,"resources":%s`, quoted(verbs), quoted(groups), quoted(resources))
	if len(names) > 0 {
		r += `,"resourceNames":` + quoted(strings.Join(names, ","))
	}
	return r + "}"
}

func urlRule(verb string, urls ...string) string {
	return fmt.Sprintf(`{"verbs":[%q],"nonResourceURLs":["%s"]}`, verb, strings.Join(urls, `","`))
}

func role(name string, rules ...string) string {
	return fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":%q},"rules":[%s]}`, name, strings.Join(rules, ","))
}

func clusterRoleOf(name string, rules ...string) string {
	return fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":%q},"rules":[%s]}`, name, strings.Join(rules, ","))
}

func subject(kind, name string) string { return fmt.Sprintf(`{"kind":%q,"name":%q}`, kind, name) }

func binding(kind, name, refKind, ref string, subjects ...string) string {
	return fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":%q,"metadata":{"name":%q},"roleRef":{"kind":%q,"name":%q},"subjects":[%s]}`,
		kind, name, refKind, ref, strings.Join(subjects, ","))
}

// as makes a request that of another user.
func (s *script) as(user string, groups ...string) option {
	return func(r *http.Request) {
		r.Header.Set("Impersonate-User", s.expand(user))
		for _, g := range groups {
			r.Header.Add("Impersonate-Group", s.expand(g))
		}
	}
}

// bind binds a role in the namespace of the row.
func (s *script) bind(name, kind, ref string, subjects ...string) answer {
	s.t.Helper()
	return s.post(roleBindings, binding("RoleBinding", name, kind, ref, subjects...))
}

// grant gives a user a role of his own in the namespace of the row, and waits until it counts.
func (s *script) grant(user string, rules ...string) {
	s.t.Helper()
	name := strings.ReplaceAll(user, ":", "-")
	s.send("POST", namespacedRoles, role(name, append(rules, rule("get", "example.org", "settled"))...))
	s.send("POST", roleBindings, binding("RoleBinding", name, "Role", name, subject("User", user)))
	s.until(user, "", "get", "example.org", "settled", func(a answer) bool { return lookup(a.doc, "status.allowed") == true })
}

// may waits until the real server thinks that a user may do something in the namespace of the row,
// or no more: what decides hears of roles a moment later.
func (s *script) may(want bool, user, group, verb, resource string) {
	s.t.Helper()
	s.until(user, group, verb, "", resource, func(a answer) bool { return lookup(a.doc, "status.allowed") == want })
}

// reason waits until the real server says why jane may do something, in words with the text; "" is
// until it says nothing.
func (s *script) reason(text string) {
	s.t.Helper()
	s.until("jane-$ns", "", "get", "", "configmaps", func(a answer) bool {
		reason := a.str("status.reason")
		return strings.Contains(reason, text) && (text != "" || reason == "")
	})
}

// until asks what a user may do until the answer is what it will be. fakeapi knows at once.
func (s *script) until(user, group, verb, apiGroup, resource string, settled func(answer) bool) {
	s.t.Helper()
	if s.server.Name() != conformance.RealName {
		return
	}
	groups := "[]"
	if group != "" {
		groups = fmt.Sprintf("[%q]", group)
	}
	body := fmt.Sprintf(`{"spec":{"user":%q,"groups":%s,"resourceAttributes":{"namespace":"$ns","verb":%q,"group":%q,"resource":%q}}}`, user, groups, verb, apiGroup, resource)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		a, _ := s.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", body)
		if settled(a) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			s.t.Fatalf("the roles do not settle: %s", a.raw)
		}
	}
}

// status is get for an answer of which only the code and what is refused matter.
func (s *script) status(path string, o ...option) {
	s.t.Helper()
	a, headers := s.send("GET", path, "", o...)
	e := exchange{Request: "status of " + path, Code: a.code, Header: headers}
	if a.code == http.StatusForbidden {
		e.Body = a.doc
	} else {
		delete(headers, "Content-Type")
	}
	s.log = append(s.log, e)
}
