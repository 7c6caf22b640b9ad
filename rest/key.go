package rest

// Key identifies one object of one kind, in this life of it: an object that is
// deleted and created again has another UID.
type Key struct {
	Kind      string
	Namespace string // "" for what has no namespace
	Name      string
	UID       string
}

// String returns kind, namespace and name: "Pod default/nginx".
func (k Key) String() string { return k.Kind + " " + objectName(k.Namespace, k.Name) }

// objectName joins namespace and name as errors show them.
func objectName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
