package fakeapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

const rolesPath = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"

func role(kind, namespace, name string, rules ...any) rest.Object {
	return rest.Object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "rules": rules,
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}
}

func rule(verbs, groups, resources []string, names ...string) map[string]any {
	m := map[string]any{"verbs": verbs, "apiGroups": groups, "resources": resources}
	if len(names) > 0 {
		m["resourceNames"] = names
	}
	return m
}

// bind binds a role to a subject, written as Group/name, in a namespace or, for "", everywhere.
func bind(namespace, role, subject string) rest.Object {
	kind, name, _ := strings.Cut(role, "/")
	who, whose, _ := strings.Cut(subject, "/")
	subjects := map[string]any{"kind": who, "name": whose}
	if ns, name, ok := strings.Cut(whose, "/"); ok {
		subjects["namespace"], subjects["name"] = ns, name
	}
	o := rest.Object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
		"metadata": map[string]any{"namespace": namespace, "name": strings.ToLower(strings.NewReplacer("/", "-", ":", "-").Replace(role + "-" + subject))},
		"roleRef":  map[string]any{"kind": kind, "name": name}, "subjects": []any{subjects},
	}
	if namespace == "" {
		o["kind"] = "ClusterRoleBinding"
	}
	return o
}

var (
	readAll   = rule([]string{"get", "list", "watch"}, []string{""}, []string{"configmaps"})
	readOne   = rule([]string{"get", "list", "watch"}, []string{""}, []string{"secrets"}, "a")
	onlyScale = rule([]string{"get", "patch"}, []string{"apps"}, []string{"*/scale"})
)

// Roles decide what users may do, however they are bound.
func TestRBAC(t *testing.T) {
	o := fakeapi.Options{
		RBAC: true,
		Objects: []any{
			role("ClusterRole", "", "reader", readAll, map[string]any{"verbs": []string{"get"}, "nonResourceURLs": []string{"/debug/*"}}),
			role("Role", "default", "one", readOne, onlyScale),
			bind("", "ClusterRole/reader", "User/jane"),
			bind("kube-system", "ClusterRole/reader", "Group/testers"),
			bind("default", "Role/one", "ServiceAccount/default/robot"),
			bind("default", "Role/lost", "User/joe"),
		},
	}
	const robot = "system:serviceaccount:default:robot"
	bubble(t, o, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		for _, test := range []struct {
			user, group, method, path string
			want                      int
		}{
			{"jane", "", "GET", maps, 200},
			{"jane", "", "GET", "/api/v1/configmaps", 200},
			{"jane", "", "GET", "/debug/x", 404},
			{"jane", "", "GET", "/debug", 403},
			{"jane", "", "DELETE", maps, 403},
			{"jane", "", "GET", podsPath, 403},
			{"x", "testers", "GET", "/api/v1/namespaces/kube-system/configmaps", 200},
			{"x", "testers", "GET", maps, 403},
			{"x", "testers", "GET", "/debug/x", 403},
			{robot, "", "GET", "/api/v1/namespaces/default/secrets/a", 404},
			{robot, "", "GET", "/api/v1/namespaces/default/secrets/b", 403},
			{robot, "", "GET", "/api/v1/namespaces/default/secrets", 403},
			{robot, "", "GET", "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Da", 200},
			{robot, "", "GET", "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Da&limit=x", 403},
			{robot, "", "GET", "/apis/apps/v1/namespaces/default/deployments/d/scale", 404},
			{robot, "", "GET", "/apis/apps/v1/namespaces/default/deployments/d", 403},
			{robot, "", "GET", "/apis", 200},
			{"joe", "", "GET", maps, 403},
			{"joe", "system:masters", "GET", maps, 200},
			{"system:anonymous", "", "GET", "/healthz", 200},
			{"system:anonymous", "", "GET", "/apis", 403},
			{"admin", "", "GET", maps, 403}, // the name alone means nothing
			{"", "", "GET", maps, 200},      // oneself
		} {
			headers := []string{"Impersonate-User", test.user}
			if test.group != "" {
				headers = append(headers, "Impersonate-Group", test.group)
			}
			if got := do(t, c, test.method, test.path, "", headers...); got.Code != test.want {
				t.Errorf("%s of %s, %s %s: %d %s", test.user, test.group, test.method, test.path, got.Code, got.Body)
			}
		}
		const want = `User \"joe\" cannot list resource \"configmaps\" in API group \"\" in the namespace \"default\": rbac: RBAC: role.rbac.authorization.k8s.io \"lost\" not found`
		if got := do(t, c, "GET", maps, "", "Impersonate-User", "joe"); !strings.Contains(got.Body, want) {
			t.Error(got.Body)
		}
	})
}

// Roles apply to a client of the library as they would on a cluster.
func TestRBACOfClient(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{RBAC: true, Objects: []any{role("Role", "default", "reader", readAll)}})
	cfg := s.Config()
	cfg.Impersonate.User = "jane"
	c, err := rest.New(cfg, rest.Options{Dial: s.Dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	r := rest.For[rest.Object](c, "ConfigMap").In("default")
	if _, err := stream.Await(r.List(t.Context(), rest.ListOptions{})); !errors.Is(err, rest.ErrForbidden) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Create(bind("default", "Role/reader", "User/jane")); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Await(r.List(t.Context(), rest.ListOptions{})); err != nil {
		t.Errorf("once it is bound: %v", err)
	}
	for _, r := range s.Records() {
		if r.User != "jane" {
			t.Errorf("%s of %q", r, r.User)
		}
	}
}

// The function may allow what roles do not, except to grant rights.
func TestRBACAndAllow(t *testing.T) {
	var asked []string
	o := fakeapi.Options{
		Tokens: map[string]string{"t": "jane"},
		RBAC:   true,
		Allow: func(a fakeapi.Access) bool {
			asked = append(asked, a.Verb+" "+a.Resource+" "+strings.Join(a.Groups, ","))
			return a.Verb == "create"
		},
		Users:   []fakeapi.User{{Name: "jane", Groups: []string{"testers"}}},
		Objects: []any{role("ClusterRole", "", "reader", readAll), bind("", "ClusterRole/reader", "Group/testers")},
	}
	bubble(t, o, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		const token = "Bearer t"
		get := func(method, path, body string) int {
			return do(t, c, method, path, body, "Authorization", token, "Content-Type", "application/json").Code
		}
		got := []int{get("GET", maps, ""), get("POST", maps, `{"metadata":{"name":"a"}}`), get("DELETE", maps, ""), get("POST", rolesPath, `{"metadata":{"name":"a"},"rules":[`+
			`{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}`), get("POST", rolesPath, `{"metadata":{"name":"a"}}`)}
		if d := cmp.Diff([]int{200, 201, 403, 403, 201}, got); d != "" {
			t.Error(d)
		}
		const groups = "testers,system:authenticated"
		want := []string{"create configmaps " + groups, "deletecollection configmaps " + groups, "create roles " + groups, "create roles " + groups}
		if d := cmp.Diff(want, asked); d != "" {
			t.Error(d)
		}
	})
}

// Requests that depend on roles without rules are not judged.
func TestRBACAggregated(t *testing.T) {
	all := role("ClusterRole", "", "all")
	all["aggregationRule"] = map[string]any{"clusterRoleSelectors": []any{map[string]any{"matchLabels": map[string]any{"a": "b"}}}}
	filled := role("ClusterRole", "", "filled", readAll)
	filled["aggregationRule"] = all["aggregationRule"]
	o := fakeapi.Options{RBAC: true, Objects: []any{
		all, filled, role("ClusterRole", "", "reader", readAll, rule([]string{"create"}, []string{"rbac.authorization.k8s.io"}, []string{"roles", "rolebindings"})),
		bind("", "ClusterRole/all", "User/jane"), bind("", "ClusterRole/reader", "User/jane"),
		bind("", "ClusterRole/filled", "User/joe"), bind("", "ClusterRole/reader", "User/jim"),
	}}
	bubble(t, o, func(t *testing.T, _ *fakeapi.Server, c *http.Client) {
		get := func(user, method, path, body string) int {
			return do(t, c, method, path, body, "Impersonate-User", user, "Content-Type", "application/json").Code
		}
		const more = `{"metadata":{"name":"a"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}`
		const ofAll = `{"metadata":{"name":"a"},"roleRef":{"kind":"ClusterRole","name":"all"}}`
		const rules = `{"spec":{"namespace":"default"}}`
		const ask = `{"spec":{"user":"jane","resourceAttributes":{"verb":"delete","resource":"pods"}}}`
		const reviews = "/apis/authorization.k8s.io/v1/"
		got := map[string]int{
			"jane is allowed":        get("jane", "GET", maps, ""),
			"jane is not":            get("jane", "GET", podsPath, ""),
			"joe is allowed":         get("joe", "GET", maps, ""),
			"joe is not":             get("joe", "GET", podsPath, ""),
			"jane gives more":        get("jane", "POST", rolesPath, more),
			"jim gives more":         get("jim", "POST", rolesPath, more),
			"jim gives all":          get("jim", "POST", strings.TrimSuffix(rolesPath, "s")+"bindings", ofAll),
			"rules of jane":          get("jane", "POST", reviews+"selfsubjectrulesreviews", rules),
			"rules of joe":           get("joe", "POST", reviews+"selfsubjectrulesreviews", rules),
			"somebody asks for jane": get("", "POST", reviews+"subjectaccessreviews", ask),
		}
		want := map[string]int{
			"jane is allowed": 200, "jane is not": 501, "joe is allowed": 200, "joe is not": 403, "jane gives more": 501, "jim gives more": 403,
			"jim gives all": 501, "rules of jane": 501, "rules of joe": 201, "somebody asks for jane": 501,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

// Wrong options are refused.
func TestRBACOptions(t *testing.T) {
	for want, o := range map[string]fakeapi.Options{
		"a user has no name":                                                        {Users: []fakeapi.User{{UID: "u"}}},
		`user "a" is listed twice`:                                                  {Users: []fakeapi.User{{Name: "a"}, {Name: "a"}}},
		"must supply at least one api group":                                        {RBAC: true, Objects: []any{role("Role", "default", "a", map[string]any{"verbs": []string{"get"}, "resources": []string{"pods"}})}},
		`Unsupported value: "Deputy"`:                                               {RBAC: true, Objects: []any{bind("", "Deputy/x", "User/x")}},
		`kind "authentication.k8s.io/v1/TokenReview" is not stored`:                 {Objects: []any{rest.Object{"kind": "TokenReview", "apiVersion": "authentication.k8s.io/v1"}}},
		`subjects[0].namespace: Required value`:                                     {RBAC: true, Objects: []any{bind("", "ClusterRole/x", "ServiceAccount/x")}},
		`clusterroles.rbac.authorization.k8s.io ` + `cluster-admin: already exists`: {RBAC: true, Objects: []any{role("ClusterRole", "", "cluster-admin")}},
	} {
		_, err := fakeapi.Start(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
