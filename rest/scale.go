package rest

// Scale is the subresource "scale" of Deployments and the like, and of custom resources that have
// one.
//
//	scales := rest.Sub[rest.Scale](deployments, "scale")
//	scales.Patch(ctx, "web", rest.ScaleTo(3))
type Scale struct {
	Kind       string     `json:"kind,omitempty"`
	APIVersion string     `json:"apiVersion,omitempty"`
	Metadata   ObjectMeta `json:"metadata"`
	Spec       struct {
		Replicas int32 `json:"replicas"` // how many there should be; servers omit 0
	} `json:"spec"`
	Status struct {
		Replicas int32  `json:"replicas"`           // how many there are
		Selector string `json:"selector,omitempty"` // of their pods: [ParseLabels] reads it
	} `json:"status,omitzero"`
}

// ScaleTo returns the patch that sets the replicas of a [Scale].
func ScaleTo(replicas int32) Patch {
	return MergePatch(map[string]any{"spec": map[string]any{"replicas": replicas}})
}
