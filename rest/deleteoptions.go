package rest

import (
	"errors"
	"fmt"
)

// Propagation says what happens to the objects that a deleted object owns.
type Propagation string

// The propagation policies.
const (
	Background Propagation = "Background" // deletes the object first, then what it owned
	Foreground Propagation = "Foreground" // deletes what the object owns first
	Orphan     Propagation = "Orphan"     // leaves what the object owned
)

// DeleteOptions change how an object is deleted. The zero value leaves all to the server: a Job,
// for example, orphans its pods.
type DeleteOptions struct {
	// Propagation is Background, Foreground or Orphan. Default: the server's for the kind.
	Propagation Propagation
	// GracePeriodSeconds is how long the object may take to end; 0 deletes at once. Default: what
	// the object says.
	GracePeriodSeconds *int64
	// UID and ResourceVersion are preconditions: if the object has others, it is not deleted, and
	// the error matches [ErrConflict]. Default: none.
	UID, ResourceVersion string
	// Unchanged lets [Resource.DeleteObject] delete only the version that it was given.
	Unchanged bool
}

// check refuses what no server accepts.
func (o *DeleteOptions) check() error {
	switch o.Propagation {
	case "", Background, Foreground, Orphan:
	default:
		return fmt.Errorf("propagation policy %q is not one of Background, Foreground, Orphan", o.Propagation)
	}
	if o.Unchanged {
		return errors.New("option Unchanged needs an object; ResourceVersion names a version")
	}
	if o.GracePeriodSeconds != nil && *o.GracePeriodSeconds < 0 {
		return errors.New("the grace period is negative")
	}
	return nil
}

// body checks the options and returns what is sent, nil if there is nothing to say.
func (o *DeleteOptions) body(dryRun bool) ([]byte, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	doc := o.document(dryRun)
	if doc == nil {
		return nil, nil
	}
	return Encode(doc)
}

// deleteDocument is the options as they are sent: in the body, since servers do not read the query
// of a request that has a body.
type deleteDocument struct {
	Kind               string         `json:"kind"`
	APIVersion         string         `json:"apiVersion"`
	PropagationPolicy  Propagation    `json:"propagationPolicy,omitempty"`
	GracePeriodSeconds *int64         `json:"gracePeriodSeconds,omitempty"`
	Preconditions      *preconditions `json:"preconditions,omitempty"`
	DryRun             []string       `json:"dryRun,omitempty"`
}

type preconditions struct {
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// document returns the options to be sent, nil if there is nothing to say.
func (o *DeleteOptions) document(dryRun bool) *deleteDocument {
	if *o == (DeleteOptions{}) && !dryRun {
		return nil
	}
	doc := &deleteDocument{
		Kind:               "DeleteOptions",
		APIVersion:         "v1",
		PropagationPolicy:  o.Propagation,
		GracePeriodSeconds: o.GracePeriodSeconds,
	}
	if dryRun {
		doc.DryRun = []string{dryRunAll}
	}
	if o.UID != "" || o.ResourceVersion != "" {
		doc.Preconditions = &preconditions{o.UID, o.ResourceVersion}
	}
	return doc
}
