package watch

import "errors"

// Gone is met by a Deleted, seen or inferred, and by a Synced that is [Event].Empty: it waits until
// the object does not exist, or no longer matches the selectors.
func Gone[T any](ev Event[T]) Answer {
	switch {
	case deletes(ev), ev.Type == Synced && ev.Empty:
		return Answer{Met: true}
	case ev.Object != nil:
		return Answer{Missing: "it exists"}
	}
	return Answer{}
}

// HasCondition is met by an object whose status.conditions has one of this type and status, as
// "Ready" and "True". As for kubectl wait, case does not matter, and a condition that was observed
// for an older generation of the object does not count.
//
// Like all conditions about objects here, it works for every T that holds the fields it reads, and
// for any other T with Options.Raw. Without them it can never come true; the error matches
// rest.ErrInvalidArgument.
func HasCondition[T any](typ, status string) Condition[T] {
	return func(ev Event[T]) Answer {
		if typ == "" || status == "" {
			return invalid("HasCondition needs a type and a status, as in Ready and True")
		}
		return about(ev, conditionedSample, func(o *conditioned) Answer { return o.has(typ, status) })
	}
}

// PodReady is met by a Pod whose condition Ready is True. It can no longer come true when the Pod
// is deleted, has failed, or has succeeded.
func PodReady[T any](ev Event[T]) Answer {
	return kinded(ev, "PodReady", "Pod", conditionedSample, podReady)
}

// pod is what PodReady reads.
type pod struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Status struct {
		Phase              string      `json:"phase"`
		Reason             string      `json:"reason"`
		Message            string      `json:"message"`
		ObservedGeneration int64       `json:"observedGeneration"`
		Conditions         []condition `json:"conditions"`
		Containers         []struct {
			Name  string `json:"name"`
			State struct {
				Waiting *struct {
					Reason  string `json:"reason"`
					Message string `json:"message"`
				} `json:"waiting"`
			} `json:"state"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

func podReady(p *pod) Answer {
	switch p.Status.Phase {
	case "Failed":
		return Answer{Never: errors.New(joined("the pod has failed", p.Status.Reason, p.Status.Message))}
	case "Succeeded":
		return Answer{Never: errors.New("the pod has succeeded, and runs no longer")}
	}
	var o conditioned
	o.Metadata = p.Metadata
	o.Status.Conditions, o.Status.ObservedGeneration = p.Status.Conditions, p.Status.ObservedGeneration
	answer := o.has("Ready", "True")
	if scheduled := o.find("PodScheduled"); !answer.Met && scheduled != nil && scheduled.Status == "False" {
		answer.Missing = scheduled.text()
		return answer
	}
	for _, c := range p.Status.Containers {
		if w := c.State.Waiting; w != nil && !answer.Met {
			answer.Missing += "; container " + joined(c.Name, w.Reason, w.Message)
			break
		}
	}
	return answer
}

// JobComplete is met by a Job whose condition Complete is True. It can no longer come true when the
// Job is deleted or its condition Failed is True.
func JobComplete[T any](ev Event[T]) Answer {
	return kinded(ev, "JobComplete", "Job", conditionedSample, func(o *conditioned) Answer {
		if c := o.find("Failed"); c != nil && c.Status == "True" {
			return Answer{Never: errors.New(joined("the job has failed", c.Reason, c.Message))}
		}
		return o.has("Complete", "True")
	})
}

// Established is met by a CustomResourceDefinition whose objects are served. It can no longer come
// true when the definition is deleted or its names are not accepted.
func Established[T any](ev Event[T]) Answer {
	return kinded(ev, "Established", "CustomResourceDefinition", conditionedSample, func(o *conditioned) Answer {
		answer := o.has("Established", "True")
		if c := o.find("NamesAccepted"); !answer.Met && c != nil && c.Status == "False" {
			return Answer{Never: errors.New(joined("the names are not accepted", c.Reason, c.Message))}
		}
		return answer
	})
}

// kinded is about, for objects of one kind.
func kinded[V, T any](ev Event[T], name, kind, sample string, judge func(v *V) Answer) Answer {
	if wrong, ok := ofKind(ev, name, kind); !ok {
		return wrong
	}
	return about(ev, sample, judge)
}
