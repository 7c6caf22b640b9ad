package watch_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// conditionRow is an object, or the JSON of one, and what a condition says of it: "met", "never: "
// and a part of the reason, or what is missing.
type conditionRow struct {
	name, kind, object string
	condition          watch.Condition[rest.Object]
	want               string
}

func said(a watch.Answer) string {
	switch {
	case a.Met:
		return "met"
	case a.Never != nil:
		return "never: " + a.Never.Error()
	default:
		return a.Missing
	}
}

// carrying returns the Added of an object that decodes from JSON.
func carrying[T any](t *testing.T, kind, object string) watch.Event[T] {
	t.Helper()
	o, err := rest.Decode[T]([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	return watch.Event[T]{Type: watch.Added, Object: o, Key: rest.Key{Kind: kind, Namespace: "default", Name: "web"}}
}

const (
	podStarting = `{"metadata":{"name":"web","generation":1},"spec":{},"status":{"phase":"Pending","conditions":[` +
		`{"type":"PodScheduled","status":"True"},{"type":"Ready","status":"False","reason":"ContainersNotReady","message":"containers with unready status: [app]"}],` +
		`"containerStatuses":[{"name":"app","ready":false,"state":{"waiting":{"reason":"ImagePullBackOff","message":"no such image"}}}]}}`
	podPending = `{"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/3 nodes are available"}]}}`
	podRuns    = `{"metadata":{"generation":1},"status":{"phase":"Running","observedGeneration":1,"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`
	podEvicted = `{"status":{"phase":"Failed","reason":"Evicted","message":"the node was low on memory"}}`
	podDone    = `{"status":{"phase":"Succeeded","conditions":[{"type":"Ready","status":"False","reason":"PodCompleted"}]}}`

	jobFailed  = `{"status":{"failed":7,"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded","message":"Job has reached the specified backoff limit"}]}}`
	jobDone    = `{"status":{"succeeded":1,"conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]}}`
	jobRuns    = `{"status":{"active":1}}`
	jobWaits   = `{"status":{"conditions":[{"type":"Suspended","status":"True"},{"type":"Failed","status":"False"}]}}`
	crdNew     = `{"spec":{}}`
	crdServed  = `{"status":{"conditions":[{"type":"NamesAccepted","status":"True"},{"type":"Established","status":"True"}]}}`
	crdRefused = `{"status":{"conditions":[{"type":"NamesAccepted","status":"False","reason":"PluralConflict","message":"\"widgets\" is already in use"},{"type":"Established","status":"False","reason":"NotAccepted"}]}}`
	crdRenamed = `{"status":{"conditions":[{"type":"NamesAccepted","status":"False"},{"type":"Established","status":"True"}]}}`
	claim      = `{"spec":{"volumeName":"v"},"status":{"phase":"Pending","capacity":{"storage":"1Gi"},"ports":[80,443],"ready":true}}`
)

func deployment(observed, want, all, updated, available, progressing string) string {
	return `{"metadata":{"generation":2},"spec":{"replicas":` + want + `},"status":{"observedGeneration":` + observed +
		`,"replicas":` + all + `,"updatedReplicas":` + updated + `,"availableReplicas":` + available +
		`,"conditions":[{"type":"Available","status":"True"},{"type":"Progressing","status":"True","reason":"` + progressing + `","message":"web-1 moves on"}]}}`
}

func stateful(strategy, status string) string {
	return `{"metadata":{"generation":2},"spec":{"replicas":3,"updateStrategy":` + strategy + `},"status":` + status + `}`
}

const rolling = `{"type":"RollingUpdate","rollingUpdate":{"partition":0}}`

var conditionRows = []conditionRow{
	{"a pod that starts", "Pod", podStarting, watch.PodReady[rest.Object], "Ready is False: ContainersNotReady: containers with unready status: [app]; container app: ImagePullBackOff: no such image"},
	{"a pod without a place", "Pod", podPending, watch.PodReady[rest.Object], "PodScheduled is False: Unschedulable: 0/3 nodes are available"},
	{"a new pod", "Pod", `{}`, watch.PodReady[rest.Object], "it has no condition Ready"},
	{"a ready pod", "Pod", podRuns, watch.PodReady[rest.Object], "met"},
	{"a pod whose new spec is not observed", "Pod", strings.Replace(podRuns, `"generation":1`, `"generation":2`, 1), watch.PodReady[rest.Object], "the newest spec has not been observed, and Ready is True"},
	{"an evicted pod", "Pod", podEvicted, watch.PodReady[rest.Object], "never: the pod has failed: Evicted: the node was low on memory"},
	{"a pod that is done", "Pod", podDone, watch.PodReady[rest.Object], "never: the pod has succeeded, and runs no longer"},
	{"not a pod", "Node", podRuns, watch.PodReady[rest.Object], "never: PodReady is for Pod, not for Node"},
	{"an odd status", "Pod", `{"status":{"conditions":"x"}}`, watch.PodReady[rest.Object], "never: Pod default/web cannot be read: "},

	{"unobserved", "Deployment", deployment("1", "3", "3", "3", "3", "NewReplicaSetAvailable"), watch.RolledOut[rest.Object], "the newest spec has not been observed"},
	{"unobserved, and past the old deadline", "Deployment", deployment("1", "3", "3", "1", "3", "ProgressDeadlineExceeded"), watch.RolledOut[rest.Object], "the newest spec has not been observed"},
	{"few updated", "Deployment", deployment("2", "3", "4", "1", "3", "ReplicaSetUpdated"), watch.RolledOut[rest.Object], "1 of 3 replicas are updated"},
	{"old ones left", "Deployment", deployment("2", "3", "4", "3", "3", "ReplicaSetUpdated"), watch.RolledOut[rest.Object], "1 old replicas are still there"},
	{"few available", "Deployment", deployment("2", "3", "3", "3", "2", "ReplicaSetUpdated"), watch.RolledOut[rest.Object], "2 of 3 updated replicas are available"},
	{"rolled out", "Deployment", deployment("2", "3", "3", "3", "3", "NewReplicaSetAvailable"), watch.RolledOut[rest.Object], "met"},
	{"rolled out to none", "Deployment", deployment("2", "0", "0", "0", "0", "NewReplicaSetAvailable"), watch.RolledOut[rest.Object], "met"},
	{"replicas not given", "Deployment", `{"metadata":{"generation":1},"spec":{},"status":{"observedGeneration":1}}`, watch.RolledOut[rest.Object], "0 of 1 replicas are updated"},
	{"past the deadline", "Deployment", deployment("2", "3", "4", "1", "3", "ProgressDeadlineExceeded"), watch.RolledOut[rest.Object], "never: the deployment has exceeded its progress deadline: web-1 moves on"},
	{"no rollout", "ReplicaSet", `{}`, watch.RolledOut[rest.Object], "never: RolledOut is for Deployment, StatefulSet, DaemonSet, not for ReplicaSet"},
	{"StatefulSet, never observed", "StatefulSet", stateful(rolling, `{}`), watch.RolledOut[rest.Object], "the newest spec has not been observed"},
	{"StatefulSet, few ready", "StatefulSet", stateful(rolling, `{"observedGeneration":2,"readyReplicas":2}`), watch.RolledOut[rest.Object], "2 of 3 replicas are ready"},
	{"StatefulSet, two revisions", "StatefulSet", stateful(rolling, `{"observedGeneration":2,"readyReplicas":3,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}`), watch.RolledOut[rest.Object], "1 of 3 replicas are at revision b"},
	{"StatefulSet, rolled out", "StatefulSet", stateful(rolling, `{"observedGeneration":2,"readyReplicas":3,"updatedReplicas":3,"currentRevision":"b","updateRevision":"b"}`), watch.RolledOut[rest.Object], "met"},
	{"StatefulSet, up to the partition", "StatefulSet", stateful(`{"type":"RollingUpdate","rollingUpdate":{"partition":2}}`, `{"observedGeneration":2,"readyReplicas":3,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}`), watch.RolledOut[rest.Object], "met"},
	{"StatefulSet, above the partition", "StatefulSet", stateful(`{"type":"RollingUpdate","rollingUpdate":{"partition":1}}`, `{"observedGeneration":2,"readyReplicas":3,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}`), watch.RolledOut[rest.Object], "1 of 2 replicas above the partition are updated"},
	{"StatefulSet, on delete", "StatefulSet", stateful(`{"type":"OnDelete"}`, `{}`), watch.RolledOut[rest.Object], "never: its update strategy is OnDelete"},
	{"DaemonSet, unobserved", "DaemonSet", `{"metadata":{"generation":2},"status":{"observedGeneration":1}}`, watch.RolledOut[rest.Object], "the newest spec has not been observed"},
	{"DaemonSet, few updated", "DaemonSet", `{"status":{"desiredNumberScheduled":3,"updatedNumberScheduled":1,"numberAvailable":3}}`, watch.RolledOut[rest.Object], "1 of 3 pods are updated"},
	{"DaemonSet, few available", "DaemonSet", `{"status":{"desiredNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":1}}`, watch.RolledOut[rest.Object], "1 of 3 updated pods are available"},
	{"DaemonSet, rolled out", "DaemonSet", `{"status":{"desiredNumberScheduled":3,"updatedNumberScheduled":3,"numberAvailable":3}}`, watch.RolledOut[rest.Object], "met"},
	{"DaemonSet, on delete", "DaemonSet", `{"spec":{"updateStrategy":{"type":"OnDelete"}}}`, watch.RolledOut[rest.Object], "never: its update strategy is OnDelete"},

	{"a job that runs", "Job", jobRuns, watch.JobComplete[rest.Object], "it has no condition Complete"},
	{"a suspended job", "Job", jobWaits, watch.JobComplete[rest.Object], "it has no condition Complete"},
	{"a job that is done", "Job", jobDone, watch.JobComplete[rest.Object], "met"},
	{"a failed job", "Job", jobFailed, watch.JobComplete[rest.Object], "never: the job has failed: BackoffLimitExceeded: Job has reached the specified backoff limit"},
	{"not a job", "CronJob", jobDone, watch.JobComplete[rest.Object], "never: JobComplete is for Job, not for CronJob"},

	{"a new definition", "CustomResourceDefinition", crdNew, watch.Established[rest.Object], "it has no condition Established"},
	{"an established definition", "CustomResourceDefinition", crdServed, watch.Established[rest.Object], "met"},
	{"names that are taken", "CustomResourceDefinition", crdRefused, watch.Established[rest.Object], `never: the names are not accepted: PluralConflict: "widgets" is already in use`},
	{"new names that are taken", "CustomResourceDefinition", crdRenamed, watch.Established[rest.Object], "met"},

	{"any condition", "Widget", podRuns, watch.HasCondition[rest.Object]("ready", "true"), "met"},
	{"of another status", "Widget", podRuns, watch.HasCondition[rest.Object]("Ready", "False"), "Ready is True"},
	{"that is not there", "Widget", `{"status":{}}`, watch.HasCondition[rest.Object]("Ready", "True"), "it has no condition Ready"},
	{
		"observed for an older generation", "Widget", `{"metadata":{"generation":3},"status":{"observedGeneration":3,"conditions":[{"type":"Ready","status":"True","observedGeneration":2}]}}`,
		watch.HasCondition[rest.Object]("Ready", "True"), "the newest spec has not been observed, and Ready is True",
	},
	{"without a type", "Widget", podRuns, watch.HasCondition[rest.Object]("", "True"), "never: HasCondition needs a type and a status"},

	{"a string", "Claim", claim, watch.FieldIs[rest.Object]("Pending", "status", "phase"), "met"},
	{"another string", "Claim", claim, watch.FieldIs[rest.Object]("Bound", "status", "phase"), "status.phase is Pending"},
	{"a number in an array", "Claim", claim, watch.FieldIs[rest.Object](443, "status", "ports", "1"), "met"},
	{"past the end of an array", "Claim", claim, watch.FieldIs[rest.Object](443, "status", "ports", "2"), "status.ports.2 is not there"},
	{"a bool", "Claim", claim, watch.FieldIs[rest.Object](true, "status", "ready"), "met"},
	{"an object", "Claim", claim, watch.FieldIs[rest.Object](map[string]string{"storage": "1Gi"}, "status", "capacity"), "met"},
	{"an absent field is nil", "Claim", claim, watch.FieldIs[rest.Object](nil, "status", "other"), "met"},
	{"an absent field is zero", "Claim", claim, watch.FieldIs[rest.Object](0, "status", "replicas"), "met"},
	{"an absent field is no number", "Claim", claim, watch.FieldIs[rest.Object](1, "status", "replicas"), "status.replicas is not there"},
	{"a member of a string", "Claim", claim, watch.FieldIs[rest.Object]("x", "status", "phase", "more"), "status.phase.more is not there"},
	{"a string is not a number", "Claim", claim, watch.FieldIs[rest.Object]("443", "status", "ports", "1"), "status.ports.1 is 443"},
	{"outside the status", "Secret", `{"data":{"key":"c2VjcmV0"}}`, watch.FieldIs[rest.Object]("x", "data", "key"), "data.key has another value"},
	{"a long value", "Claim", `{"status":{"m":"` + strings.Repeat("m", 5000) + `"}}`, watch.FieldIs[rest.Object]("x", "status", "m"), "status.m is " + strings.Repeat("m", 100) + "..."},
	{"without a path", "Claim", claim, watch.FieldIs[rest.Object]("x"), "never: FieldIs needs a path"},
	{"a value without JSON", "Claim", claim, watch.FieldIs[rest.Object](func() {}, "status"), "never: FieldIs: the value cannot be encoded"},
	{"it exists", "Claim", claim, watch.Gone[rest.Object], "it exists"},
}

func TestConditions(t *testing.T) {
	for _, tt := range conditionRows {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			ev := carrying[rest.Object](t, tt.kind, tt.object)
			for _, ev.Type = range []watch.Type{watch.Added, watch.Modified} {
				got := said(tt.condition(ev))
				if got != tt.want && (!strings.HasPrefix(tt.want, "never: ") || !strings.HasPrefix(got, tt.want)) {
					t.Errorf("%s: %q, want %q", ev.Type, got, tt.want)
				}
			}
			a := tt.condition(watch.Event[rest.Object]{Type: watch.Deleted, Object: ev.Object, Key: ev.Key, Inferred: true})
			if gone := tt.want == "it exists"; a.Met != gone || (a.Never == nil) != gone {
				t.Errorf("when it is deleted: %q", said(a))
			}
			for _, typ := range []watch.Type{watch.Synced, watch.Bookmark, watch.Error, watch.WatchFailed, watch.Recovered} {
				if a := tt.condition(watch.Event[rest.Object]{Type: typ}); a.Met || a.Never != nil && !errors.Is(a.Never, rest.ErrInvalidArgument) {
					t.Errorf("%s: %q, want nothing", typ, said(a))
				}
			}
		})
	}
}

// The JSON of the object is enough, whatever it was decoded into; and a type that can hold what the
// condition reads needs no JSON.
func TestConditionsOfOtherTypes(t *testing.T) {
	type small struct {
		Status struct {
			Conditions []struct {
				Type   string `json:"type"`
				Status string `json:"status"`
			} `json:"conditions"`
			Count int `json:"count,omitempty"`
		} `json:"status"`
	}
	ready := carrying[small](t, "Pod", podRuns)
	if a := watch.PodReady(ready); !a.Met {
		t.Errorf("a struct with conditions: %q", said(a))
	}
	if a := watch.PodReady(carrying[json.RawMessage](t, "Pod", podRuns)); !a.Met {
		t.Errorf("JSON: %q", said(a))
	}
	if a := watch.PodReady(carrying[map[string]any](t, "Pod", podRuns)); !a.Met {
		t.Errorf("a map: %q", said(a))
	}
	if a := watch.FieldIs[small](0, "status", "count")(ready); !a.Met {
		t.Errorf("a zero that the type leaves out: %q", said(a))
	}
	rolled := deployment("2", "3", "3", "3", "3", "NewReplicaSetAvailable")
	for name, a := range map[string]watch.Answer{
		"metadata alone":  watch.PodReady(carrying[rest.PartialObjectMetadata](t, "Pod", podRuns)),
		"no replicas":     watch.RolledOut(carrying[small](t, "Deployment", rolled)),
		"no such field":   watch.FieldIs[small]("Running", "status", "phase")(ready),
		"a field's type":  watch.FieldIs[small]("x", "status", "count")(ready),
		"a zero value":    watch.FieldIs[small]("", "status", "phase")(ready),
		"within All":      watch.All(watch.Not(watch.Gone[small]), watch.FieldIs[small]("x", "spec"))(ready),
		"within Any":      watch.Any(watch.Not(watch.Gone[small]), watch.FieldIs[small]("x", "spec"))(ready),
		"within Not":      watch.Not(watch.FieldIs[small]("x", "spec"))(ready),
		"within Patient":  watch.Patient(watch.FieldIs[small]("x", "spec"))(ready),
		"All of nothing":  watch.All[small]()(ready),
		"Any of nothing":  watch.Any[small]()(ready),
		"of another kind": watch.Patient(watch.JobComplete[small])(ready),
	} {
		if !errors.Is(a.Never, rest.ErrInvalidArgument) || a.Met {
			t.Errorf("%s: %q, want an invalid argument", name, said(a))
		}
	}
	partial := carrying[rest.PartialObjectMetadata](t, "Deployment", rolled)
	if partial.Raw = []byte(rolled); !watch.RolledOut(partial).Met {
		t.Errorf("with Raw: %q", said(watch.RolledOut(partial)))
	}
}

// The compositions, for every pair of answers.
func TestCompositions(t *testing.T) {
	type c = watch.Condition[rest.Object]
	say := func(a watch.Answer) c { return func(watch.Event[rest.Object]) watch.Answer { return a } }
	met, not := say(watch.Answer{Met: true}), say(watch.Answer{Missing: "more"})
	never, other := say(watch.Answer{Never: errors.New("over")}), say(watch.Answer{Never: errors.New("past")})
	for _, tt := range []struct {
		name      string
		condition c
		want      string
	}{
		{"All: met, met", watch.All(met, met), "met"},
		{"All: met, not yet", watch.All(met, not), "more"},
		{"All: not yet, not yet", watch.All(not, not), "more; more"},
		{"All: not yet, never", watch.All(not, never), "never: over"},
		{"All: never, met", watch.All(never, met, other), "never: over"},
		{"Any: never, met", watch.Any(never, met), "met"},
		{"Any: met, not yet", watch.Any(met, not), "met"},
		{"Any: never, not yet", watch.Any(never, not), "more"},
		{"Any: not yet, not yet", watch.Any(not, not), "more; or more"},
		{"Any: never, never", watch.Any(never, other), "never: over; and past"},
		{"Any: never twice, alike", watch.Any(never, never), "never: over"},
		{"Not: met", watch.Not(met), ""},
		{"Not: not yet", watch.Not(not), "met"},
		{"Not: never", watch.Not(never), "met"},
		{"Not: not of never", watch.Not(watch.Not(never)), ""},
		{"Patient: never", watch.Patient(never), "over"},
		{"Patient: met", watch.Patient(met), "met"},
		{"Patient: not yet", watch.Patient(not), "more"},
		{"All of Any", watch.All(watch.Any(never, met), watch.Any(not, never)), "more"},
	} {
		if got := said(tt.condition(carrying[rest.Object](t, "Pod", podRuns))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if a := watch.Not(watch.PodReady[rest.Object])(watch.Event[rest.Object]{Type: watch.Synced}); a.Met {
		t.Error("Not is met by an event that says nothing of an object")
	}
	gone := watch.Event[rest.Object]{Type: watch.Deleted, Object: &rest.Object{}}
	if a := watch.Not(watch.PodReady[rest.Object])(gone); !a.Met {
		t.Error("a pod that is gone counts as ready")
	}
	if a := watch.When(func(*rest.Object) bool { return true })(gone); a.Never == nil {
		t.Errorf("When, of a deleted object: %q", said(a))
	}
}
