package rbac_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a source of roles and bindings, both by namespace.
type cluster struct {
	roles    map[string]rest.Object // by namespace/name
	bindings map[string][]rest.Object
}

func (c cluster) Bindings(namespace string) []rest.Object { return c.bindings[namespace] }

func (c cluster) Role(namespace, name string) rest.Object { return c.roles[namespace+"/"+name] }

func list(values ...string) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func rule(verbs, groups, resources []any, names ...string) map[string]any {
	m := map[string]any{"verbs": verbs, "apiGroups": groups, "resources": resources}
	if len(names) > 0 {
		m["resourceNames"] = list(names...)
	}
	return m
}

func role(name string, rules ...any) rest.Object {
	return rest.Object{"metadata": map[string]any{"name": name}, "rules": rules}
}

// bind binds a role, written as kind/name, to a subject that is written in the same way; a service
// account is ServiceAccount/namespace/name.
func bind(name, role, subject string) rest.Object {
	kind, of, _ := strings.Cut(role, "/")
	who, whose, _ := strings.Cut(subject, "/")
	s := map[string]any{"kind": who, "name": whose}
	if namespace, account, ok := strings.Cut(whose, "/"); ok {
		s["namespace"], s["name"] = namespace, account
	}
	return rest.Object{
		"metadata": map[string]any{"name": name},
		"roleRef":  map[string]any{"apiGroup": rbac.Group, "kind": kind, "name": of}, "subjects": []any{s},
	}
}

func sample() cluster {
	reader := role("reader", rule(list("get", "list"), list(""), list("configmaps")),
		map[string]any{"verbs": list("get"), "nonResourceURLs": list("/debug/*")})
	unfilled := role("view")
	unfilled["aggregationRule"] = map[string]any{"clusterRoleSelectors": []any{map[string]any{}}}
	return cluster{
		roles: map[string]rest.Object{
			"/reader": reader, "/view": unfilled,
			"a/one": role("one", rule(list("*"), list("*"), list("secrets"), "s"), rule(list("patch"), list("apps"), list("*/scale"))),
		},
		bindings: map[string][]rest.Object{
			"": {bind("r", "ClusterRole/reader", "User/jane"), bind("v", "ClusterRole/view", "User/vic")},
			"a": {
				bind("one", "Role/one", "ServiceAccount/b/robot"), bind("lost", "Role/lost", "User/joe"),
				bind("local", "ClusterRole/reader", "Group/testers"), bind("odd", "Deputy/x", "User/joe"),
			},
		},
	}
}

func TestDecide(t *testing.T) {
	const robot = rbac.AccountPrefix + "b:robot"
	configMaps := rbac.Access{Verb: "get", Resource: "configmaps"}
	with := func(a rbac.Access, change func(*rbac.Access)) rbac.Access { change(&a); return a }
	in := func(namespace string) func(*rbac.Access) { return func(a *rbac.Access) { a.Namespace = namespace } }
	secret := rbac.Access{User: robot, Verb: "get", Resource: "secrets", Name: "s", Namespace: "a"}
	scale := rbac.Access{User: robot, Verb: "patch", Group: "apps", Resource: "deployments", Subresource: "scale", Namespace: "a"}
	as := func(a rbac.Access, user string, groups ...string) rbac.Access {
		a.User, a.Groups = user, groups
		return a
	}
	for _, test := range []struct {
		name   string
		access rbac.Access
		want   rbac.Decision
	}{
		{"everywhere", as(configMaps, "jane"), rbac.Decision{Allowed: true, Reason: `RBAC: allowed by ClusterRoleBinding "r" of ClusterRole "reader" to User "jane"`}},
		{"in a namespace", with(as(configMaps, "x", "testers"), in("a")), rbac.Decision{Allowed: true, Reason: `RBAC: allowed by RoleBinding "local/a" of ClusterRole "reader" to Group "testers"`}},
		{"in another namespace", with(as(configMaps, "x", "testers"), in("b")), rbac.Decision{}},
		{"another verb", with(as(configMaps, "jane"), func(a *rbac.Access) { a.Verb = "delete" }), rbac.Decision{}},
		{"another group", with(as(configMaps, "jane"), func(a *rbac.Access) { a.Group = "apps" }), rbac.Decision{}},
		{"a subresource", with(as(configMaps, "jane"), func(a *rbac.Access) { a.Subresource = "status" }), rbac.Decision{}},
		{"a name", secret, rbac.Decision{Allowed: true, Reason: `RBAC: allowed by RoleBinding "one/a" of Role "one" to ServiceAccount "robot/b"`}},
		{"another name", with(secret, func(a *rbac.Access) { a.Name = "t" }), rbac.Decision{}},
		{"a subresource of anything", scale, rbac.Decision{Allowed: true, Reason: `RBAC: allowed by RoleBinding "one/a" of Role "one" to ServiceAccount "robot/b"`}},
		{"a path", rbac.Access{User: "jane", Verb: "get", Path: "/debug/x"}, rbac.Decision{Allowed: true, Reason: `RBAC: allowed by ClusterRoleBinding "r" of ClusterRole "reader" to User "jane"`}},
		{"another path", rbac.Access{User: "jane", Verb: "get", Path: "/metrics"}, rbac.Decision{}},
		{"a role that is not there", with(as(configMaps, "joe"), in("a")), rbac.Decision{Reason: `rbac: RBAC: role.rbac.authorization.k8s.io "lost" not found`}},
		{"a role without its rules", as(configMaps, "vic"), rbac.Decision{Unfilled: "view"}},
		{"the masters", as(configMaps, "x", rbac.Masters), rbac.Decision{Allowed: true}},
	} {
		if diff := cmp.Diff(test.want, rbac.Decide(sample(), test.access)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestEscalation(t *testing.T) {
	configMaps := rule(list("get"), list(""), list("configmaps"))
	gathering := role("g")
	gathering["aggregationRule"] = map[string]any{"clusterRoleSelectors": []any{map[string]any{}}}
	touched := role("r", rule(list("*"), list("*"), list("*")))
	touched["metadata"] = map[string]any{"name": "r", "finalizers": list("a/b")}
	for _, test := range []struct {
		name         string
		user, group  string
		resource     string
		old, content rest.Object
		want         error
	}{
		{"rights that one has", "jane", "", "roles", nil, role("r", configMaps), nil},
		{"another name of them", "jane", "", "roles", nil, role("r", rule(list("get"), list(""), list("configmaps"), "a")), nil},
		{"no rights", "x", "", "roles", nil, role("r"), nil},
		{"rights that one lacks", "jane", "", "roles", nil, role("r", rule(list("get", "delete"), list(""), list("configmaps", "pods"))), &rbac.DeniedError{
			"user \"jane\" (groups=[\"\"]) is attempting to grant RBAC permissions not currently held:\n" +
				`{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}` + "\n" + `{APIGroups:[""], Resources:["pods"], Verbs:["get" "delete"]}`,
		}},
		{"the masters", "x", rbac.Masters, "roles", nil, role("r", rule(list("*"), list("*"), list("*"))), nil},
		{"what a collector changes", "x", "", "roles", role("r", rule(list("*"), list("*"), list("*"))), touched, nil},
		{"a role that gathers", "jane", "", "clusterroles", nil, gathering, &rbac.DeniedError{"must have cluster-admin privileges to use the aggregationRule"}},
		{"a role without its rules", "vic", "", "roles", nil, role("r", configMaps), &rbac.UnfilledError{"view"}},
		{"a binding of rights that one has", "jane", "", "rolebindings", nil, bind("b", "ClusterRole/reader", "User/x"), nil},
		{"a binding of no role", "jane", "", "rolebindings", nil, bind("b", "Role/none", "User/x"), &rbac.RoleNotFoundError{"none"}},
		{"a binding of something else", "jane", "", "rolebindings", nil, bind("b", "Deputy/none", "User/x"), &rbac.RoleKindError{"Deputy"}},
		{"a binding of a role without its rules", "jane", "", "rolebindings", nil, bind("b", "ClusterRole/view", "User/x"), &rbac.UnfilledError{"view"}},
	} {
		e := rbac.Escalation{Source: sample(), Access: rbac.Access{User: test.user, Groups: []string{test.group}, Verb: "create", Group: rbac.Group, Resource: test.resource, Namespace: "a"}}
		if diff := cmp.Diff(test.want, e.Check(test.old, test.content)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Those with the verbs escalate and bind may grant anything.
func TestEscalationByVerb(t *testing.T) {
	src := cluster{
		roles: map[string]rest.Object{
			"/free": role("free", rule(list("escalate"), list(rbac.Group), list("roles")), rule(list("bind"), list(rbac.Group), list("clusterroles"), "all")),
			"/all":  role("all", rule(list("*"), list("*"), list("*"))),
		},
		bindings: map[string][]rest.Object{"": {bind("b", "ClusterRole/free", "User/jane")}},
	}
	for resource, content := range map[string]rest.Object{
		"roles": role("r", rule(list("*"), list("*"), list("*"))), "rolebindings": bind("x", "ClusterRole/all", "User/joe"),
	} {
		e := rbac.Escalation{Source: src, Access: rbac.Access{User: "jane", Verb: "create", Group: rbac.Group, Resource: resource, Namespace: "a"}}
		if err := e.Check(nil, content); err != nil {
			t.Errorf("%s: %v", resource, err)
		}
		e.Access.User = "joe"
		var denied *rbac.DeniedError
		if err := e.Check(nil, content); !errors.As(err, &denied) {
			t.Errorf("%s without the verb: %v", resource, err)
		}
	}
}

func TestRoleCauses(t *testing.T) {
	urls := map[string]any{"verbs": list("get"), "nonResourceURLs": list("/a")}
	both := map[string]any{"verbs": list("get"), "nonResourceURLs": list("/a"), "resources": list("pods")}
	empty := role("r")
	empty["aggregationRule"] = map[string]any{}
	for _, test := range []struct {
		name       string
		role       rest.Object
		namespaced bool
		want       []string
	}{
		{"valid", role("r", rule(list("get"), list(""), list("pods"))), true, nil},
		{"paths in a namespace", role("r", urls), true, []string{"rules[0].nonResourceURLs"}},
		{"paths in a cluster role", role("r", urls), false, nil},
		{"paths and resources", role("r", both), false, []string{"rules[0].nonResourceURLs"}},
		{"nothing", role("r", map[string]any{}), true, []string{"rules[0].apiGroups", "rules[0].resources", "rules[0].verbs"}},
		{"an aggregation of nothing", empty, false, []string{"aggregationRule.clusterRoleSelectors"}},
	} {
		if diff := cmp.Diff(test.want, fields(rbac.RoleCauses(test.role, test.namespaced))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestBindingCauses(t *testing.T) {
	for _, test := range []struct {
		name, role, subject string
		namespaced          bool
		want                []string
	}{
		{"valid", "ClusterRole/r", "ServiceAccount/a/b", false, nil},
		{"a role of a namespace", "Role/r", "User/x", true, nil},
		{"a role of a namespace, in the cluster", "Role/r", "User/x", false, []string{"roleRef.kind"}},
		{"no role", "Deputy/r", "User/x", true, []string{"roleRef.kind"}},
		{"no name", "Role/", "User/", true, []string{"roleRef.name", "subjects[0].name"}},
		{"a path", "Role/..", "User/x", true, []string{"roleRef.name"}},
		{"an account without a namespace", "ClusterRole/r", "ServiceAccount/x", false, []string{"subjects[0].namespace"}},
		{"an account with a wrong name", "Role/r", "ServiceAccount/a/B", true, []string{"subjects[0].name"}},
		{"no subject", "Role/r", "Machine/x", true, []string{"subjects[0].kind"}},
	} {
		b := bind("b", test.role, test.subject)
		rbac.SetBindingDefaults(b)
		if diff := cmp.Diff(test.want, fields(rbac.BindingCauses(b, test.namespaced))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	old, content := bind("b", "Role/r", "User/x"), bind("b", "Role/s", "User/x")
	if rbac.RoleRefCauses(old, old) != nil || len(rbac.RoleRefCauses(old, content)) != 1 {
		t.Error("the role of a binding can be changed, or cannot be kept")
	}
}

func fields(causes []rest.StatusCause) []string {
	if len(causes) == 0 {
		return nil
	}
	out := make([]string, len(causes))
	for i, c := range causes {
		out[i] = c.Field
	}
	return out
}

// What every cluster has is valid.
func TestDefaultRoles(t *testing.T) {
	for _, o := range rbac.DefaultRoles() {
		causes := rbac.RoleCauses(o, false)
		if o.Kind() == "ClusterRoleBinding" {
			rbac.SetBindingDefaults(o)
			causes = rbac.BindingCauses(o, false)
		}
		if len(causes) > 0 {
			t.Errorf("%s %s: %v", o.Kind(), o.Name(), causes)
		}
	}
}
