package rest

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// PartialObjectMetadata is the metadata of any object; see [MetadataOnly].
type PartialObjectMetadata struct {
	Kind       string     `json:"kind,omitempty"`
	APIVersion string     `json:"apiVersion,omitempty"`
	Metadata   ObjectMeta `json:"metadata"`
}

// ObjectMeta is the metadata that every object has. Give a struct of your own this field:
//
//	Metadata rest.ObjectMeta `json:"metadata"`
type ObjectMeta struct {
	Name              string            `json:"name,omitempty"`
	GenerateName      string            `json:"generateName,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Generation        int64             `json:"generation,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	Finalizers        []string          `json:"finalizers,omitempty"`
	OwnerReferences   []OwnerReference  `json:"ownerReferences,omitempty"`
	CreationTimestamp time.Time         `json:"creationTimestamp,omitzero"`
	// DeletionTimestamp is when the object should be gone; zero if it was not deleted.
	DeletionTimestamp          time.Time      `json:"deletionTimestamp,omitzero"`
	DeletionGracePeriodSeconds *int64         `json:"deletionGracePeriodSeconds,omitempty"`
	ManagedFields              jsontext.Value `json:"managedFields,omitempty"` // who set which field
}

// OwnerReference names an object that owns another one.
type OwnerReference struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	// Controller is set for the owner that is the controller: at most one is.
	Controller *bool `json:"controller,omitempty"`
	// BlockOwnerDeletion makes a foreground deletion of the owner wait for this object.
	BlockOwnerDeletion *bool `json:"blockOwnerDeletion,omitempty"`
}

// partialKind is what servers call an object with nothing but metadata.
const partialKind = "PartialObjectMetadata"

// as gives the answer to a request for metadata the kind of its resource, unless it has another
// one.
func (m *PartialObjectMetadata) as(k *Kind) {
	if m.Kind == partialKind || m.Kind == "" {
		m.Kind, m.APIVersion = k.Kind, ""
	}
	if m.APIVersion == "" {
		m.APIVersion = k.APIVersion()
	}
}
