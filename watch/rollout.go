package watch

import (
	"errors"
	"fmt"
)

// RolledOut is met by a Deployment, a StatefulSet or a DaemonSet whose newest spec runs everywhere,
// as kubectl rollout status decides it. It can no longer come true when the object is deleted, when
// a Deployment has exceeded its progress deadline, and for a StatefulSet or a DaemonSet that
// replaces pods only once they are deleted (OnDelete).
func RolledOut[T any](ev Event[T]) Answer {
	if wrong, ok := ofKind(ev, "RolledOut", "Deployment", "StatefulSet", "DaemonSet"); !ok {
		return wrong
	}
	switch ev.Key.Kind {
	case "StatefulSet":
		return about(ev, statefulSetSample, (*rollout).statefulSet)
	case "DaemonSet":
		return about(ev, daemonSetSample, (*rollout).daemonSet)
	}
	return about(ev, deploymentSample, (*rollout).deployment)
}

// rollout is what RolledOut reads.
type rollout struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		Replicas *int64 `json:"replicas"`
		Strategy struct {
			Type          string `json:"type"`
			RollingUpdate *struct {
				Partition int64 `json:"partition"`
			} `json:"rollingUpdate"`
		} `json:"updateStrategy"` // not of a Deployment
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64       `json:"observedGeneration"`
		Replicas           int64       `json:"replicas"`
		UpdatedReplicas    int64       `json:"updatedReplicas"`
		AvailableReplicas  int64       `json:"availableReplicas"`
		ReadyReplicas      int64       `json:"readyReplicas"`
		Conditions         []condition `json:"conditions"`

		CurrentRevision string `json:"currentRevision"`
		UpdateRevision  string `json:"updateRevision"`

		Desired   int64 `json:"desiredNumberScheduled"`
		Updated   int64 `json:"updatedNumberScheduled"`
		Available int64 `json:"numberAvailable"`
	} `json:"status"`
}

// Samples with the fields without which the answer would be wrong.
const (
	deploymentSample = `{"metadata":{"generation":1},"spec":{"replicas":1},` +
		`"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"availableReplicas":1,"conditions":[{"type":"t","status":"s","reason":"r"}]}}`
	statefulSetSample = `{"metadata":{"generation":1},"spec":{"replicas":1,"updateStrategy":{"type":"t","rollingUpdate":{"partition":1}}},` +
		`"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"currentRevision":"c","updateRevision":"u"}}`
	daemonSetSample = `{"metadata":{"generation":1},"spec":{"updateStrategy":{"type":"t"}},` +
		`"status":{"observedGeneration":1,"desiredNumberScheduled":1,"updatedNumberScheduled":1,"numberAvailable":1}}`
)

const onDelete = "OnDelete"

var (
	errOnDelete = errors.New("its update strategy is OnDelete, so nothing is rolled out")
	notObserved = Answer{Missing: "the newest spec has not been observed"}
)

// replicas returns how many replicas are wanted. Servers take one if none are given.
func (r *rollout) replicas() int64 {
	if r.Spec.Replicas == nil {
		return 1
	}
	return *r.Spec.Replicas
}

func missing(format string, args ...any) Answer { return Answer{Missing: fmt.Sprintf(format, args...)} }

func (r *rollout) deployment() Answer {
	s := &r.Status
	if s.ObservedGeneration < r.Metadata.Generation {
		return notObserved
	}
	for i := range s.Conditions {
		if c := &s.Conditions[i]; c.Type == "Progressing" && c.Reason == "ProgressDeadlineExceeded" {
			return Answer{Never: errors.New(joined("the deployment has exceeded its progress deadline", c.Message))}
		}
	}
	switch {
	case s.UpdatedReplicas < r.replicas():
		return missing("%d of %d replicas are updated", s.UpdatedReplicas, r.replicas())
	case s.Replicas > s.UpdatedReplicas:
		return missing("%d old replicas are still there", s.Replicas-s.UpdatedReplicas)
	case s.AvailableReplicas < s.UpdatedReplicas:
		return missing("%d of %d updated replicas are available", s.AvailableReplicas, s.UpdatedReplicas)
	}
	return Answer{Met: true}
}

func (r *rollout) statefulSet() Answer {
	s, update := &r.Status, r.Spec.Strategy.RollingUpdate
	switch {
	case r.Spec.Strategy.Type == onDelete:
		return Answer{Never: errOnDelete}
	case s.ObservedGeneration == 0, s.ObservedGeneration < r.Metadata.Generation:
		return notObserved
	case s.ReadyReplicas < r.replicas():
		return missing("%d of %d replicas are ready", s.ReadyReplicas, r.replicas())
	case update != nil && update.Partition > 0:
		if due := r.replicas() - update.Partition; s.UpdatedReplicas < due {
			return missing("%d of %d replicas above the partition are updated", s.UpdatedReplicas, due)
		}
	case s.UpdateRevision != s.CurrentRevision:
		return missing("%d of %d replicas are at revision %s", s.UpdatedReplicas, r.replicas(), s.UpdateRevision)
	}
	return Answer{Met: true}
}

func (r *rollout) daemonSet() Answer {
	s := &r.Status
	switch {
	case r.Spec.Strategy.Type == onDelete:
		return Answer{Never: errOnDelete}
	case s.ObservedGeneration < r.Metadata.Generation:
		return notObserved
	case s.Updated < s.Desired:
		return missing("%d of %d pods are updated", s.Updated, s.Desired)
	case s.Available < s.Desired:
		return missing("%d of %d updated pods are available", s.Available, s.Desired)
	}
	return Answer{Met: true}
}
