package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tideway-go/tideway/rest"
)

// generated has the methods that are generated for the types of k8s.io/api.
type generated struct {
	Metadata Meta `json:"metadata"`
}

func (*generated) Marshal() ([]byte, error) { return nil, nil }
func (*generated) Unmarshal([]byte) error   { return nil }

// typeMeta and objectMeta stand for those of k8s.io/apimachinery.
type (
	typeMeta   struct{ generated }
	objectMeta struct{ generated }
)

func (*typeMeta) Marshal() ([]byte, error)   { return nil, nil }
func (*typeMeta) Unmarshal([]byte) error     { return nil }
func (*objectMeta) Marshal() ([]byte, error) { return nil, nil }
func (*objectMeta) Unmarshal([]byte) error   { return nil }

// custom has the methods that are generated for a custom resource.
type custom struct {
	typeMeta
	Metadata objectMeta `json:"metadata"`
}

func (c *custom) DeepCopyObject() *custom { return c }

// borrowed has only the methods of its embedded metadata.
type borrowed struct {
	objectMeta
	Spec struct {
		A string `json:"a"`
	} `json:"spec"`
}

// keeping keeps unknown fields at every level.
type keeping struct {
	inner
	Metadata inner          `json:"metadata"`
	Rest     jsontext.Value `json:",embed"`
}

type inner struct {
	Name string         `json:"name,omitempty"`
	Rest map[string]any `json:",embed"`
}

// forgetful keeps unknown fields, except in its metadata.
type forgetful struct {
	Metadata Meta           `json:"metadata"`
	Rest     jsontext.Value `json:",embed"`
}

type selfmade struct{ Name string }

func (*selfmade) UnmarshalJSON([]byte) error { return nil }

// An update is refused if the struct would lose fields that it does not know.
func TestUpdateKeepsWhatItDoesNotKnow(t *testing.T) {
	for name, test := range map[string]struct {
		refused func(*testing.T, *rest.Client) error
		want    bool
	}{
		"own struct": {replaces[Pod], true},
		"any":        {replaces[any], false},
		"object":     {replaces[rest.Object], false},
		"map":        {replaces[map[string]any], false},
		"text":       {replaces[jsontext.Value], false},
		"raw":        {replaces[json.RawMessage], false},
		"generated":  {replaces[generated], false},
		"custom":     {replaces[custom], false},
		"borrowed":   {replaces[borrowed], true},
		"keeping":    {replaces[keeping], false},
		"forgetful":  {replaces[forgetful], true},
		"itself":     {replaces[selfmade], false},
		"scale":      {replaces[rest.Scale], false},
		"metadata":   {replaces[rest.PartialObjectMetadata], true},
	} {
		c, s := scripted(t, ok(`{}`))
		err := test.refused(t, c)
		refused := err != nil && strings.Contains(err.Error(), "would drop the fields that it does not have")
		if refused != test.want || refused && len(s.requests()) > 0 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.requests()))
		}
	}
}

// replaces updates an object of type T with the name a.
func replaces[T any](t *testing.T, c *rest.Client) error {
	v, err := rest.Decode[T]([]byte(`{"metadata":{"name":"a"}}`))
	if err != nil {
		return err
	}
	r := <-rest.For[T](c, "Node").Update(t.Context(), v)
	return r.Err
}
