package conformance_test

import (
	"net/http"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

const (
	whoAmI     = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
	accounts   = core + "serviceaccounts"
	robot      = "system:serviceaccount:$ns:robot"
	extraScope = "Impersonate-Extra-Example.org%2fscope"
)

// impersonationRows are requests that are made as somebody else.
var impersonationRows = []row{
	{name: "who somebody is", run: func(s *script) {
		s.who()
		s.who(as(conformance.NobodyToken))
		s.who(as(conformance.AliceToken))
		s.who(anonymous)
		s.who(as("no-such-token"))
		token := s.account()
		a := s.who(as(token))
		s.note("its own uid", a.str("status.userInfo.uid") == s.get(accounts+"/robot").uid())
		s.get(configMaps, as(token))
	}},
	{name: "admin as somebody else", run: func(s *script) {
		s.who(s.as("jane"))
		s.who(s.as("jane", "developers", "testers"))
		s.who(s.as("jane", "developers", "system:authenticated"))
		s.who(s.as("system:anonymous"))
		s.who(s.as("system:anonymous", "developers"))
		s.who(s.as("jane", "system:unauthenticated"))
		s.who(s.as(robot))
		s.who(s.as(robot, "developers"))
		s.who(s.as("system:serviceaccount:$ns"))
		s.who(s.as("system:serviceaccount:Not A Name:robot"))
		s.who(s.as("system:node:"))
		s.who(s.as("jane"), header("Impersonate-Uid", "its-uid"), header(extraScope, "a"), header("Impersonate-Extra-50%25", "b"), header("Impersonate-Extra-Plain", "c"))
		s.who(s.as("jane"), header(extraScope, "a"), func(r *http.Request) { r.Header.Add(extraScope, "b") })
		s.who(s.as("jane"), header("Impersonate-Extra-Bad%zz", "a"))
		s.who(s.as("jane", "system:masters"))
		s.get(configMaps, s.as("jane"))
		s.get(configMaps, s.as("jane", "system:masters"))
	}},
	{name: "nobody in particular", run: func(s *script) {
		s.who(header("Impersonate-User", ""))
		s.who(header("Impersonate-Group", "developers"))
		s.who(header("Impersonate-Uid", "x"))
		s.who(header("Impersonate-Extra-Scope", "x"))
		s.who(header("Impersonate-Group", "developers"), header("Impersonate-User", ""), header("Impersonate-Uid", "x"), header("Impersonate-Extra-Scope", "x"))
		s.get("/version", header("Impersonate-Group", "developers"))
		s.get(configMaps, as("no-such-token"), header("Impersonate-Group", "developers"))
	}},
	{name: "impersonation refused", run: func(s *script) {
		me := as(s.account())
		s.post(configMaps, configMap("a", "", "v"))
		for _, o := range []option{
			s.as("jane"), s.as("jane", "developers"), s.as("<jane> & co"), s.as(robot), s.as("system:serviceaccount:$ns:other"), s.as("system:node:n1"), s.as("system:node:n1", "developers"),
			s.as("jane", "system:masters"), s.as("system:anonymous"),
		} {
			s.get(configMaps+"/a", me, o)
		}
		s.post(configMaps, configMap("b", "", "v"), me, s.as("jane"))
		s.get("/version", me, s.as("jane"))
		s.get("/apis/apps/v1/namespaces/$ns/deployments/a/scale", me, s.as("jane"))
		s.get(configMaps, as(conformance.NobodyToken), s.as("admin"))
		s.get(configMaps, anonymous, s.as("admin"))
		s.get("/healthz", anonymous, s.as("admin"))
		s.watch(watchConfigMaps, me, s.as("jane"))
	}},
	{name: "impersonation of users", run: func(s *script) {
		me := as(s.account())
		s.grant("jane-$ns", rule("get", "", "configmaps"))
		s.impersonator(rule("impersonate", "", "users", "jane-$ns", "joe-$ns"), rule("impersonate", "", "groups", "developers"),
			rule("impersonate", "authentication.k8s.io", "userextras/example.org/scope", "a"), rule("impersonate", "authentication.k8s.io", "uids", "uid-1"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"))
		s.get(configMaps, me, s.as("jane-$ns"))
		s.get(configMaps+"/none", me, s.as("joe-$ns"))
		s.get(configMaps+"/none", me, s.as("jim-$ns")) // the same refusal as of the last success
		s.get(configMaps+"/none", me, s.as("jane-$ns", "developers"))
		s.get(configMaps+"/none", me, s.as("jane-$ns", "developers", "testers"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"), header("Impersonate-Uid", "uid-1"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"), header("Impersonate-Uid", "uid-2"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"), header(extraScope, "a"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"), header(extraScope, "b"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"), header("Impersonate-Extra-Other", "a"))
		s.get(configMaps+"/none", me, s.as("system:serviceaccount:$ns:other"))
		s.get(configMaps+"/none", me, s.as("jane-$ns", "system:masters"))
		s.who(me, s.as("jane-$ns", "developers"), header("Impersonate-Uid", "uid-1"), header(extraScope, "a"))
		s.get(configMaps+"/none", me)
	}},
	{name: "impersonation of service accounts", run: func(s *script) {
		me := as(s.account())
		s.grant("system:serviceaccount:$ns:other", rule("get", "", "configmaps"))
		s.impersonator(rule("impersonate", "", "serviceaccounts", "other"), rule("impersonate", "", "groups", "system:serviceaccounts"))
		s.get(configMaps+"/none", me, s.as("system:serviceaccount:$ns:other"))
		s.who(me, s.as("system:serviceaccount:$ns:other"))
		s.who(me, s.as("system:serviceaccount:$ns:other", "system:serviceaccounts"))
		s.get(configMaps+"/none", me, s.as("system:serviceaccount:$ns:third"))
		s.get(configMaps+"/none", me, s.as("system:serviceaccount:$ns:other", "developers"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"))
	}},
	{name: "impersonation of service accounts of a namespace", run: func(s *script) {
		me := as(s.account())
		s.post(namespacedRoles, role("impersonator", rule("impersonate", "", "serviceaccounts")))
		s.bind("impersonator", "Role", "impersonator", `{"kind":"ServiceAccount","name":"robot"}`)
		s.may(true, robot, "", "impersonate", "serviceaccounts")
		s.who(me, s.as("system:serviceaccount:$ns:other"))
		s.who(me, s.as("system:serviceaccount:default:other"))
	}},
	{name: "constrained impersonation of users", run: func(s *script) {
		const group = "authentication.k8s.io"
		me := as(s.account())
		s.grant("jane-$ns", rule("*", "", "configmaps"))
		s.impersonator(rule("impersonate:user-info", group, "users", "jane-$ns"), rule("impersonate:user-info", group, "groups"),
			rule("impersonate:user-info", group, "userextras/example.org/scope"), rule("impersonate:user-info", group, "uids", "uid-1"),
			rule("impersonate-on:user-info:get", "", "configmaps"), rule("impersonate-on:user-info:create", group, "selfsubjectreviews"))
		s.get(configMaps+"/none", me, s.as("jane-$ns"))
		s.get(configMaps, me, s.as("jane-$ns"))
		s.get(configMaps+"/none", me, s.as("joe-$ns"))
		s.who(me, s.as("jane-$ns", "a", "b"), header("Impersonate-Uid", "uid-1"), header(extraScope, "a"))
		s.who(me, s.as("jane-$ns"), header("Impersonate-Uid", "uid-2"))
		s.who(me, s.as("jane-$ns", "a", ""))
		s.who(me, s.as("jane-$ns", "system:masters"))
		s.who(me, s.as("jane-$ns", "a", "b", "c", "d", "e"))
		s.who(me, s.as("jane-$ns"), header("Impersonate-Extra-Scope", "a"))
		s.who(me, s.as("jane-$ns"), header(extraScope, ""))
		s.who(me, s.as("jane-$ns"), header("Impersonate-Extra-Example_org%2fscope", "a"))
		s.who(me, s.as("jane-$ns"), header("Impersonate-Extra-Example.org%2fsc%23ope", "a"))
		s.who(me, s.as("jane-$ns"), header("Impersonate-Extra-Example.org%2fother", "a"))
		s.who(me, s.as("system:serviceaccount:$ns:other"))
		s.who(me, s.as("system:node:n1"))
		s.who(me, s.as("system:node:n1", "developers"))
	}},
	{name: "constrained impersonation of many", run: func(s *script) {
		const group = "authentication.k8s.io"
		me := as(s.account())
		s.impersonator(rule("impersonate:user-info", group, "users"), rule("impersonate:user-info", group, "groups", "*"),
			rule("impersonate:user-info", group, "userextras/*", "*"), rule("impersonate-on:user-info:create", group, "selfsubjectreviews"))
		s.who(me, s.as("jane", "a", "b", "c"))
		s.who(me, s.as("jane", "a", "b", "c", "d"))
		s.who(me, s.as("jane"), extras("a", "b", "c"))
		s.who(me, s.as("jane"), extras("a", "b", "c", "d"))
	}},
	{name: "constrained impersonation of accounts and nodes", run: func(s *script) {
		const group = "authentication.k8s.io"
		me := as(s.account())
		s.impersonator(rule("impersonate:serviceaccount", group, "serviceaccounts", "other"), rule("impersonate:arbitrary-node", group, "nodes", "n1"),
			rule("impersonate-on:serviceaccount:create,impersonate-on:arbitrary-node:create", group, "selfsubjectreviews"))
		s.who(me, s.as("system:serviceaccount:$ns:other"))
		s.who(me, s.as("system:serviceaccount:$ns:third"))
		s.who(me, s.as("system:serviceaccount:$ns:other", "developers"))
		s.who(me, s.as("system:node:n1"))
		s.who(me, s.as("system:node:n2"))
		s.who(me, s.as("system:node:n1", "developers"))
		s.get(configMaps, me, s.as("system:node:n1"))
	}},
}

// who asks the server as whom it takes a request.
func (s *script) who(o ...option) answer {
	s.t.Helper()
	return s.post(whoAmI, `{}`, o...)
}

// extras adds values to one more trait of a user.
func extras(values ...string) option {
	return func(r *http.Request) {
		for _, v := range values {
			r.Header.Add(extraScope, v)
		}
	}
}

// account makes the service account robot and returns a token of it that the server takes. Who is a
// user of his own has no past: which way of impersonation went well last shows in what the server
// says.
func (s *script) account() string {
	s.t.Helper()
	s.send("POST", accounts, `{"metadata":{"name":"robot"}}`)
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		a, _ := s.send("POST", accounts+"/robot/token", `{}`)
		token := a.str("status.token")
		if token != "" {
			if a, _ := s.send("POST", whoAmI, `{}`, as(token)); a.code == http.StatusCreated {
				return token
			}
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			s.t.Fatalf("no token that is taken: %s", a.raw)
		}
	}
}

// impersonator gives rights everywhere to the service account robot, and waits until they count.
func (s *script) impersonator(rules ...string) {
	s.t.Helper()
	s.send("POST", roles, clusterRoleOf("robot-$ns", append(rules, rule("get", "example.org", "impersonated"))...))
	s.send("POST", clusterBindings, strings.Replace(binding("ClusterRoleBinding", "robot-$ns", "ClusterRole", "robot-$ns", subject("ServiceAccount", "robot")),
		`{"kind":"ServiceAccount"`, `{"namespace":"$ns","kind":"ServiceAccount"`, 1))
	s.until(robot, "", "get", "example.org", "impersonated", func(a answer) bool { return lookup(a.doc, "status.allowed") == true })
}
