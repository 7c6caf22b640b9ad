// Package rbac judges by the roles and bindings of rbac.authorization.k8s.io, as kube-apiserver
// 1.37 does: what somebody may do, whether they may hand rights on to others, and whether a role or
// a binding is valid.
//
// It knows nothing of servers and requests. Where the roles come from is the business of a
// [Source].
package rbac
