// Package kinds has an example of every kind that kube-apiserver stores: a small object that the
// real server accepts, and changes of it.
//
// What sets a kind apart is measured with these examples (package tables), and the measured server
// and fakeapi are compared with them. A kind without an example fails both.
package kinds

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/tideway-go/tideway/rest"
)

// Example is an object of a kind, and what is changed in it.
type Example struct {
	// Object is what the object has besides its type and its name.
	Object map[string]any
	// Change is a merge patch that changes the content, not the metadata or the status.
	Change map[string]any
	// Status is a merge patch of the status, if there is a subresource for it.
	Status map[string]any
	// Name is for kinds whose names have a meaning. Default: example-$n.
	Name string
	// Fixed says why the server does not make the change.
	Fixed string
	// Restless means that kube-apiserver itself writes the status at any time.
	Restless bool
}

//go:embed objects/*.json
var objects embed.FS

var read = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	files, err := objects.ReadDir("objects")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := objects.ReadFile(path.Join("objects", f.Name()))
		if err != nil {
			return nil, err
		}
		var some map[string]json.RawMessage
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("kinds: %s: %w", f.Name(), err)
		}
		maps.Copy(all, some)
	}
	return all, nil
})

// Versions are the versions in which an example may be written, in the order in which they are
// looked for.
var Versions = []string{"v1", "v2", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"}

// Of returns the example of a kind, as its n-th object in a namespace. An example in one version
// serves the others unless they have their own.
func Of(k rest.Kind, namespace string, n int) (*Example, error) {
	all, err := read()
	if err != nil {
		return nil, err
	}
	raw, ok := all[k.String()]
	for _, v := range Versions {
		if !ok {
			raw, ok = all[rest.Kind{Group: k.Group, Version: v, Kind: k.Kind}.String()]
		}
	}
	if !ok {
		return nil, fmt.Errorf("kinds: no example of %s: fakeapi/conformance/kinds/objects needs one", k)
	}
	e := Example{Name: "example-$n"}
	text := strings.NewReplacer("$ns", namespace, "$n", strconv.Itoa(n))
	if err := json.Unmarshal([]byte(text.Replace(string(raw))), &e); err != nil {
		return nil, fmt.Errorf("kinds: %s: %w", k, err)
	}
	e.Name = text.Replace(e.Name)
	return &e, nil
}

// Body returns the object, with metadata besides the name.
func (e *Example) Body(metadata map[string]any) map[string]any {
	m := map[string]any{"name": e.Name}
	own, _ := e.Object["metadata"].(map[string]any)
	maps.Copy(m, own)
	for name, value := range metadata {
		before, _ := m[name].(map[string]any)
		if after, ok := value.(map[string]any); ok && before != nil {
			before = maps.Clone(before)
			maps.Copy(before, after)
			value = before
		}
		m[name] = value
	}
	body := maps.Clone(e.Object)
	if body == nil {
		body = map[string]any{}
	}
	body["metadata"] = m
	return body
}
