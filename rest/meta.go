package rest

import "github.com/go-json-experiment/json"

// Meta is the identity of an object.
type Meta struct {
	APIVersion, Kind                      string
	Name, Namespace, UID, ResourceVersion string
}

// ReadMeta reads an object's identity from its JSON without decoding the rest.
func ReadMeta(raw []byte) (Meta, error) {
	var o struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name            string `json:"name"`
			Namespace       string `json:"namespace"`
			UID             string `json:"uid"`
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &o, decodeOptions); err != nil {
		return Meta{}, err
	}
	return Meta{o.APIVersion, o.Kind, o.Metadata.Name, o.Metadata.Namespace, o.Metadata.UID, o.Metadata.ResourceVersion}, nil
}
