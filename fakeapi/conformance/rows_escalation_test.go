package conformance_test

// escalationRows are attempts to grant rights that the user does not have.
var escalationRows = []row{
	{name: "roles with rights that one has", run: func(s *script) {
		s.grant("jane-$ns", rule("*", "rbac.authorization.k8s.io", "roles,rolebindings"), rule("get,list", "", "configmaps,secrets"), rule("get", "apps", "*/scale"),
			rule("update", "", "configmaps", "a", "b"))
		jane := s.as("jane-$ns")
		s.post(namespacedRoles, role("some", rule("get", "", "configmaps"), rule("get", "apps", "deployments/scale")), jane)
		s.post(namespacedRoles, role("names", rule("get,update", "", "configmaps", "a")), jane)
		s.bind("some", "Role", "some", subject("User", "joe-$ns"))
		s.post(roleBindings, binding("RoleBinding", "more", "Role", "some", subject("User", "joe-$ns")), jane)
		s.merge(namespacedRoles+"/some", `{"rules":[]}`, jane)
		s.put(namespacedRoles+"/some", role("some", rule("list", "", "secrets")), jane)
		s.put(namespacedRoles+"/new", role("new", rule("list", "", "secrets")), jane)
		s.delete(namespacedRoles+"/some", "", jane)
		s.delete(roleBindings+"/some", "", jane)
	}},
	{name: "roles with rights that one does not have", run: func(s *script) {
		s.grant("jane-$ns", rule("create,update,patch,delete,get", "rbac.authorization.k8s.io", "roles,rolebindings"), rule("get", "", "configmaps"), rule("get", "", "pods", "a"))
		jane := s.as("jane-$ns", "testers")
		for _, rules := range []string{
			rule("get,list,watch", "", "configmaps,secrets"), rule("get", "", "pods"), rule("get", "", "pods", "a", "b"), rule("*", "", "configmaps"), rule("*", "*", "*"),
			rule("get", "apps,batch", "*", "a", "b"), rule("get,list", "", "pods/log") + "," + rule("list,get", "", "pods/log"), `{"verbs":["get"]}`,
		} {
			s.post(namespacedRoles, role("a", rules), jane)
			s.put(namespacedRoles+"/new", role("new", rules), jane)
		}
		s.post(namespacedRoles, `{"metadata":{"generateName":"a-"},"rules":[`+rule("list", "", "secrets")+`]}`, jane)
		s.post("/apis/rbac.authorization.k8s.io/v1/namespaces/none-$ns/roles", role("a", rule("list", "", "secrets")), jane)
		s.post(namespacedRoles, role("a", rule("list", "", "secrets")))
		s.merge(namespacedRoles+"/a", `{"metadata":{"labels":{"x":"y"}}}`, jane)
		s.merge(namespacedRoles+"/a", `{"metadata":{"finalizers":["example.org/a"]}}`, jane) // like a garbage collector
		s.merge(namespacedRoles+"/a", `{"metadata":{"finalizers":null}}`, jane)
		s.post(roleBindings, binding("RoleBinding", "a", "Role", "a", subject("User", "jane-$ns")), jane)
		s.post(roleBindings, binding("RoleBinding", "a", "ClusterRole", "cluster-admin", subject("User", "jane-$ns")), jane)
		s.post(roleBindings, binding("RoleBinding", "a", "ClusterRole", "none-$ns", subject("User", "jane-$ns")), jane)
		s.post(roleBindings, binding("RoleBinding", "a", "Pod", "none", subject("User", "jane-$ns")), jane)
		s.post(roleBindings, `{"metadata":{"name":"a"}}`, jane)
		s.bind("b", "Role", "a", subject("User", "joe-$ns"))
		s.merge(roleBindings+"/b", `{"subjects":[`+subject("User", "jane-$ns")+`]}`, jane)
		s.merge(roleBindings+"/b", `{"metadata":{"finalizers":[]}}`, jane)
		s.bind("lost", "Role", "lost", subject("User", "jane-$ns"))
		s.bind("lost2", "ClusterRole", "lost-$ns", subject("User", "jane-$ns"))
		s.post(namespacedRoles, role("b", rule("list", "", "secrets")), jane)
		s.delete(namespacedRoles+"/a", "", jane)
	}},
	{name: "escalate and bind", run: func(s *script) {
		s.post(namespacedRoles, role("strong", rule("*", "*", "*")))
		s.grant("jane-$ns", rule("create,update,escalate", "rbac.authorization.k8s.io", "roles"), rule("create", "rbac.authorization.k8s.io", "rolebindings"),
			rule("bind", "rbac.authorization.k8s.io", "roles", "strong"), rule("bind", "rbac.authorization.k8s.io", "clusterroles", "cluster-admin"))
		jane := s.as("jane-$ns")
		s.post(namespacedRoles, role("a", rule("*", "*", "*")), jane)
		s.put(namespacedRoles+"/a", role("a", rule("*", "*", "pods")), jane)
		s.post(roleBindings, binding("RoleBinding", "a", "Role", "a", subject("User", "joe-$ns")), jane)
		s.post(roleBindings, binding("RoleBinding", "strong", "Role", "strong", subject("User", "joe-$ns")), jane)
		s.post(roleBindings, binding("RoleBinding", "admin", "ClusterRole", "cluster-admin", subject("User", "joe-$ns")), jane)
		s.post(roleBindings, binding("RoleBinding", "discovery", "ClusterRole", "system:discovery", subject("User", "joe-$ns")), jane) // everybody has it
	}},
	{name: "cluster roles with rights that one does not have", run: func(s *script) {
		s.post(roles, clusterRoleOf("jane-$ns", rule("*", "rbac.authorization.k8s.io", "clusterroles,clusterrolebindings"), rule("get", "", "configmaps"), urlRule("get", "/debug/*")))
		s.post(clusterBindings, binding("ClusterRoleBinding", "jane-$ns", "ClusterRole", "jane-$ns", subject("User", "jane-$ns")))
		s.may(true, "jane-$ns", "", "get", "configmaps")
		jane := s.as("jane-$ns")
		s.post(roles, clusterRoleOf("a-$ns", rule("get", "", "configmaps"), urlRule("get", "/debug/a", "/debug/b*")), jane)
		s.post(clusterBindings, binding("ClusterRoleBinding", "b-$ns", "ClusterRole", "a-$ns", subject("User", "joe-$ns")), jane)
		s.post(roles, clusterRoleOf("b-$ns", rule("list", "", "configmaps"), urlRule("get", "/other"), urlRule("post", "/debug/a", "/debug/*")), jane)
	}},
	{name: "cluster roles by one without escalate", run: func(s *script) {
		s.post(roles, clusterRoleOf("jane-$ns", rule("create,patch", "rbac.authorization.k8s.io", "clusterroles,clusterrolebindings"), rule("get", "", "configmaps"), urlRule("get", "/debug/*")))
		s.post(clusterBindings, binding("ClusterRoleBinding", "jane-$ns", "ClusterRole", "jane-$ns", subject("User", "jane-$ns")))
		s.may(true, "jane-$ns", "", "get", "configmaps")
		jane := s.as("jane-$ns")
		s.post(roles, clusterRoleOf("a-$ns", rule("get", "", "configmaps"), urlRule("get", "/debug/a", "/debug/b*", "/debug/*")), jane)
		s.post(clusterBindings, binding("ClusterRoleBinding", "a-$ns", "ClusterRole", "a-$ns", subject("User", "joe-$ns")), jane)
		s.post(roles, clusterRoleOf("b-$ns", rule("list,get", "", "configmaps,pods"), urlRule("get", "/other", "/debug"), urlRule("post", "/debug/a")), jane)
		s.post(clusterBindings, binding("ClusterRoleBinding", "b-$ns", "ClusterRole", "cluster-admin", subject("User", "joe-$ns")), jane)
		s.post(clusterBindings, binding("ClusterRoleBinding", "b-$ns", "ClusterRole", "none-$ns", subject("User", "joe-$ns")), jane)
		s.post(roles, `{"metadata":{"name":"b-$ns"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"of":"$ns"}}]}}`, jane)
		s.post(roles, `{"metadata":{"name":"b-$ns"},"aggregationRule":{}}`, jane)
		s.post(roles, `{"metadata":{"name":"all-$ns"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"of":"$ns"}}]}}`)
		s.merge(roles+"/all-$ns", `{"aggregationRule":null}`, jane)
	}},
}
