package rest

// Scale is how many replicas there should be, and are: the subresource "scale"
// of Deployments and the like, and of custom resources that have one.
//
//	scales := rest.Sub[rest.Scale](deployments, "scale")
//	scales.Patch(ctx, "web", rest.ScaleTo(3))
type Scale struct {
	Kind       string     `json:"kind,omitempty"`
	APIVersion string     `json:"apiVersion,omitempty"`
	Metadata   ObjectMeta `json:"metadata"`
	Spec       struct {
		// Replicas is how many there should be. A server leaves 0 out.
		Replicas int32 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		// Replicas is how many there are.
		Replicas int32 `json:"replicas"`
		// Selector selects their pods, as text: [ParseLabels] reads it.
		Selector string `json:"selector,omitempty"`
	} `json:"status,omitzero"`
}

// ScaleTo returns the patch of a [Scale] that asks for so many replicas.
func ScaleTo(replicas int32) Patch {
	return MergePatch(map[string]any{"spec": map[string]any{"replicas": replicas}})
}
