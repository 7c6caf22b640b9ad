package rest

// Key identifies an object by kind, namespace and name, so that one map can hold the objects of
// many watches. An object that was deleted and created again has the same key and another UID.
type Key struct {
	Group     string // "" for the core group
	Kind      string
	Namespace string // "" for cluster-scoped objects
	Name      string
}

// String returns kind and object: "Pod default/nginx", "Deployment.apps default/web".
func (k Key) String() string {
	kind := k.Kind
	if k.Group != "" {
		kind += "." + k.Group
	}
	return kind + " " + objectName(k.Namespace, k.Name)
}

// objectName joins namespace and name as errors show them.
func objectName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
