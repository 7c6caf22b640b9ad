package fakeapi

import (
	"crypto/tls"
	"encoding/base64"
	stdjson "encoding/json"
	"fmt"
	"strconv"

	"github.com/tideway-go/tideway/fakeapi/internal/rbac"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// maxData is how many bytes the data of a ConfigMap or a Secret may have.
const maxData = 1 << 20

// contentCauses returns what is wrong besides the metadata; old is nil for a new object. What the
// test writes itself is only checked if the server has to understand it.
func (s *store) contentCauses(r *resource, old, content rest.Object, sub string, o writeOptions) []rest.StatusCause {
	if o.direct && (!s.options.RBAC || r.kind.Group != rbac.Group) {
		return nil
	}
	causes := r.changeCauses(old, content, sub)
	if sub != "" {
		return causes
	}
	return append(causes, r.contentCauses(content)...)
}

// changeCauses returns what a change must not change.
func (r *resource) changeCauses(old, content rest.Object, sub string) []rest.StatusCause {
	if old == nil {
		return nil
	}
	switch r.kind.Resource() {
	case "rolebindings." + rbac.Group, "clusterrolebindings." + rbac.Group:
		return rbac.RoleRefCauses(old, content)
	case "configmaps":
		return immutableCauses(old, content, "data", "binaryData")
	case "secrets":
		var causes []rest.StatusCause
		if was, is := old.String("type"), content.String("type"); was != is {
			causes = append(causes, valid.Invalid("type", strconv.Quote(is), "field is immutable"))
		}
		return append(causes, immutableCauses(old, content, "data")...)
	case "namespaces":
		return namespaceCauses(content, sub)
	}
	return nil
}

// immutableCauses refuses changes of an object that says of itself that it is immutable.
func immutableCauses(old, content rest.Object, members ...string) []rest.StatusCause {
	if old["immutable"] != true {
		return nil
	}
	const why = "field is immutable when `immutable` is set"
	var causes []rest.StatusCause
	if content["immutable"] != true {
		causes = append(causes, valid.Forbidden("immutable", why))
	}
	for _, name := range members {
		if !value.Same(old[name], content[name]) {
			causes = append(causes, valid.Forbidden(name, why))
		}
	}
	return causes
}

// namespaceCauses checks the subresources of a namespace.
func namespaceCauses(content rest.Object, sub string) []rest.StatusCause {
	switch sub {
	case "finalize":
		return namespaceFinalizers(content, func(i int) string { return fmt.Sprintf("spec.finalizers[%d]", i) })
	case "status":
		want, when := "Active", "empty"
		if content.String("metadata", "deletionTimestamp") != "" {
			want, when = "Terminating", "not empty"
		}
		if phase := content.String("status", "phase"); phase != want {
			return []rest.StatusCause{valid.Invalid("status.Phase", strconv.Quote(phase),
				"may only be '"+want+"' if `deletionTimestamp` is "+when)}
		}
	}
	return nil
}

// namespaceFinalizers checks the finalizers in the spec of a namespace.
func namespaceFinalizers(content rest.Object, field func(i int) string) []rest.StatusCause {
	var causes []rest.StatusCause
	for i, f := range content.Slice("spec", "finalizers") {
		name, _ := f.(string)
		for _, p := range valid.Qualified(name) {
			causes = append(causes, valid.Invalid(field(i), strconv.Quote(name), p))
		}
		causes = append(causes, unqualified(field(i), name)...)
	}
	return causes
}

// contentCauses returns what is wrong besides the metadata. Only a few kinds are checked, see the
// documentation of the package.
func (r *resource) contentCauses(content rest.Object) []rest.StatusCause {
	switch r.kind.Resource() {
	case "clusterroles.rbac.authorization.k8s.io", "roles.rbac.authorization.k8s.io":
		return rbac.RoleCauses(content, r.kind.Namespaced)
	case "clusterrolebindings.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io":
		return rbac.BindingCauses(content, r.kind.Namespaced)
	case "pods":
		if len(content.Slice("spec", "containers")) == 0 {
			return []rest.StatusCause{valid.Required("spec.containers", "")}
		}
	case "namespaces":
		return namespaceFinalizers(content, func(int) string { return "spec.finalizers" })
	case "configmaps":
		causes, size := keyCauses(content, "data", func(v string) int { return len(v) })
		more, encoded := keyCauses(content, "binaryData", func(v string) int { return len(decodeBase64(v)) })
		causes = append(causes, more...)
		if size+encoded > maxData {
			causes = append(causes, valid.TooLong("[]", maxData))
		}
		return causes
	case "secrets":
		causes, size := keyCauses(content, "data", func(v string) int { return len(decodeBase64(v)) })
		if size > maxData {
			causes = append(causes, valid.TooLong("data", maxData))
		}
		return append(causes, secretCauses(content)...)
	}
	return nil
}

// keyCauses checks the keys of a member, and returns the size of its values.
func keyCauses(content rest.Object, member string, sizeOf func(string) int) (causes []rest.StatusCause, size int) {
	for _, k := range value.Names(content.Map(member)) {
		v, _ := content.Map(member)[k].(string)
		size += sizeOf(v)
		for _, problem := range valid.DataKey(k) {
			causes = append(causes, valid.Invalid(member+"["+k+"]", strconv.Quote(k), problem))
		}
		if _, twice := content.Map("binaryData")[k]; twice && member == "data" {
			causes = append(causes, valid.Invalid("data["+k+"]", strconv.Quote(k), "duplicate of key present in binaryData"))
		}
	}
	return causes, size
}

// decodeBase64 decodes a value that has been checked before.
func decodeBase64(v string) []byte {
	raw, _ := base64.StdEncoding.DecodeString(v)
	return raw
}

// secretCauses checks what the type of a Secret requires.
func secretCauses(content rest.Object) []rest.StatusCause {
	data := content.Map("data")
	missing := func(keys ...string) []rest.StatusCause {
		var causes []rest.StatusCause
		for _, k := range keys {
			if _, ok := data[k]; !ok {
				causes = append(causes, valid.Required("data["+k+"]", ""))
			}
		}
		return causes
	}
	switch content.String("type") {
	case "kubernetes.io/service-account-token":
		if content.Annotations()["kubernetes.io/service-account.name"] == "" {
			return []rest.StatusCause{valid.Required("metadata.annotations[kubernetes.io/service-account.name]", "")}
		}
	case "kubernetes.io/dockercfg":
		return append(missing(".dockercfg"), notJSON(data, ".dockercfg")...)
	case "kubernetes.io/dockerconfigjson":
		return append(missing(".dockerconfigjson"), notJSON(data, ".dockerconfigjson")...)
	case "kubernetes.io/basic-auth":
		if causes := missing("username", "password"); len(causes) == 2 {
			return causes
		}
	case "kubernetes.io/ssh-auth":
		if v, _ := data["ssh-privatekey"].(string); v == "" {
			return []rest.StatusCause{valid.Required("data[ssh-privatekey]", "")}
		}
	case "kubernetes.io/tls":
		return missing("tls.crt", "tls.key")
	}
	return nil
}

// notJSON refuses a value that is not the JSON of an object. It is a secret: the error does not
// show it.
func notJSON(data map[string]any, k string) []rest.StatusCause {
	v, ok := data[k].(string)
	if !ok {
		return nil
	}
	if err := stdjson.Unmarshal(decodeBase64(v), &map[string]any{}); err != nil {
		return []rest.StatusCause{valid.Invalid("data["+k+"]", `"<secret contents redacted>"`, err.Error())}
	}
	return nil
}

// contentWarnings returns what kube-apiserver warns about in an object that it stores.
func (r *resource) contentWarnings(content rest.Object) []string {
	if r.kind.Resource() != "secrets" || content.String("type") != "kubernetes.io/tls" {
		return nil
	}
	data := rest.Object(content.Map("data"))
	if _, err := tls.X509KeyPair(decodeBase64(data.String("tls.crt")), decodeBase64(data.String("tls.key"))); err != nil {
		return []string{err.Error()}
	}
	return nil
}
