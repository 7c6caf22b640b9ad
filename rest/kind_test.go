package rest_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

func TestLookup(t *testing.T) {
	for name, want := range map[string]string{
		"Pod":                                    "v1/Pod pods",
		"v1/Pod":                                 "v1/Pod pods",
		"Deployment":                             "apps/v1/Deployment deployments.apps",
		"apps/v1/Deployment":                     "apps/v1/Deployment deployments.apps",
		"HorizontalPodAutoscaler":                "autoscaling/v2/HorizontalPodAutoscaler horizontalpodautoscalers.autoscaling",
		"autoscaling/v1/HorizontalPodAutoscaler": "autoscaling/v1/HorizontalPodAutoscaler horizontalpodautoscalers.autoscaling",
		"Event":                                  "v1/Event events",
		"events.k8s.io/v1/Event":                 "events.k8s.io/v1/Event events.events.k8s.io",
		"TokenReview":                            "authentication.k8s.io/v1/TokenReview tokenreviews.authentication.k8s.io",
		"LeaseCandidate":                         "coordination.k8s.io/v1beta1/LeaseCandidate leasecandidates.coordination.k8s.io",
		"resource.k8s.io/v1beta1/DeviceClass":    "resource.k8s.io/v1beta1/DeviceClass deviceclasses.resource.k8s.io",
		"CustomResourceDefinition":               "apiextensions.k8s.io/v1/CustomResourceDefinition customresourcedefinitions.apiextensions.k8s.io",
	} {
		k, err := rest.Lookup(name)
		if got := k.String() + " " + k.Resource(); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"":                   `rest: unknown kind "": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`,
		"Foo":                `rest: unknown kind "Foo": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`,
		"pod":                `rest: unknown kind "pod": did you mean "Pod"?`,
		"deployments":        `rest: unknown kind "deployments": did you mean "Deployment"?`,
		"v1/pods":            `rest: unknown kind "v1/pods": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`,
		"po":                 `rest: unknown kind "po": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`,
		"apps/v1/Pod":        `rest: unknown kind "apps/v1/Pod": known are v1/Pod`,
		"v2/Pod":             `rest: unknown kind "v2/Pod": known are v1/Pod`,
		"apps/v2/Deployment": `rest: unknown kind "apps/v2/Deployment": known are apps/v1/Deployment`,
		"a/b/c/d":            `rest: unknown kind "a/b/c/d": it is not built in; for a custom resource use ForKind, Options.Kinds or Options.Discovery`,
	} {
		_, err := rest.Lookup(name)
		if errText(err) != want || !errors.Is(err, rest.ErrUnknownKind) {
			t.Errorf("error is\n\t%v, want\n\t%s", err, want)
		}
		if got := errOf(rest.For[Pod](nil, name).Get(t.Context(), "x")); errText(got) != want {
			t.Errorf("For says\n\t%v, want\n\t%s", got, want)
		}
	}
}

// Names of the API that do not stand for resources are refused.
func TestLookupNoResource(t *testing.T) {
	for name, want := range map[string]string{
		"PodList":               `rest: "PodList" is not a resource; did you mean Pod?`,
		"PodSpec":               `rest: "PodSpec" is not a resource; did you mean Pod?`,
		"NodeStatus":            `rest: "NodeStatus" is not a resource; did you mean Node?`,
		"v1/PodList":            `rest: "v1/PodList" is not a resource; did you mean Pod?`,
		"DeleteOptions":         `rest: "DeleteOptions" is not a resource, but a type used in resources`,
		"meta.k8s.io/v1/Status": `rest: "meta.k8s.io/v1/Status" is not a resource, but a type used in resources`,
		"Container":             `rest: "Container" is not a resource, but a type used in resources`,
		"autoscaling/v1/Scale":  `rest: "autoscaling/v1/Scale" is not a resource, but a type used in resources`,
		"APIVersions":           `rest: "APIVersions" is not a resource, but a type used in resources`,
		"WatchEvent":            `rest: "WatchEvent" is not a resource, but a type used in resources`,
	} {
		_, err := rest.Lookup(name)
		if errText(err) != want || !errors.Is(err, rest.ErrNotResource) || errors.Is(err, rest.ErrUnknownKind) {
			t.Errorf("error is\n\t%v, want\n\t%s", err, want)
		}
		if got := errOf(rest.For[Pod](nil, name).Get(t.Context(), "x")); errText(got) != want {
			t.Errorf("For says\n\t%v, want\n\t%s", got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	all := slices.Collect(rest.Kinds())
	off := 0
	for _, k := range all {
		if k.OffByDefault {
			off++
		}
	}
	if len(all) != 100 || off != 28 {
		t.Errorf("%d kinds, %d of them off by default", len(all), off)
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b rest.Served) int {
		return strings.Compare(a.Kind.Group+" "+a.Kind.Kind, b.Kind.Group+" "+b.Kind.Kind)
	})
	if d := cmp.Diff(sorted, all); d != "" {
		t.Error("not sorted:", d)
	}
	seen := map[string]bool{}
	for _, s := range all {
		k := s.Kind
		if k.Plural == "" || strings.ToLower(k.Plural) != k.Plural || seen[k.String()] {
			t.Errorf("%+v is wrong, or there twice", k)
		}
		seen[k.String()] = true
		if got, err := rest.Lookup(k.String()); err != nil || got != k {
			t.Errorf("%s is found as %+v, %v", k, got, err)
		}
	}
}

// The table has the facts that discovery reports of a kind, besides its name.
func TestKindTraits(t *testing.T) {
	wants := map[string]string{
		"v1/Pod":      "create delete deletecollection get list patch update watch",
		"Namespace":   "create delete get list patch update watch",
		"TokenReview": "create",
		"coordination.k8s.io/v1alpha2/LeaseCandidate": "off create delete deletecollection get list patch update watch",
	}
	missing := maps.Clone(wants)
	for name, want := range wants {
		k, err := rest.Lookup(name)
		for s := range rest.Kinds() {
			if s.Kind != k {
				continue
			}
			got := strings.Join(s.Verbs, " ")
			if s.OffByDefault {
				got = "off " + got
			}
			if got != want || err != nil {
				t.Errorf("%s can %s, %v", name, got, err)
			}
			delete(missing, name)
		}
	}
	if len(missing) > 0 {
		t.Errorf("not in the table: %v", missing)
	}
}

// The paths of objects and collections.
func TestPaths(t *testing.T) {
	widget := rest.Kind{Group: "example.com", Version: "v1beta1", Kind: "Widget", Plural: "widgets", Namespaced: true}
	c, _ := scripted(t)
	for want, e := range map[string]rest.Endpoint{
		"/api/v1/pods":                                    rest.For[Pod](c, "Pod").Endpoint(),
		"/api/v1/namespaces/a/pods":                       rest.For[Pod](c, "Pod").In("a").Endpoint(),
		"/api/v1/pods?":                                   rest.For[Pod](c, "Pod").In("a").In("").Endpoint(),
		"/api/v1/namespaces":                              rest.For[Pod](c, "Namespace").Endpoint(),
		"/apis/apps/v1/namespaces/a/deployments":          rest.For[Pod](c, "Deployment").In("a").Endpoint(),
		"/apis/example.com/v1beta1/namespaces/a/widgets":  rest.ForKind[Pod](c, widget).In("a").Endpoint(),
		"/apis/rbac.authorization.k8s.io/v1/clusterroles": rest.For[Pod](c, "ClusterRole").Endpoint(),
	} {
		r, err := e.Request(t.Context(), "GET", "", "", nil)
		if err != nil {
			t.Error(err)
			continue
		}
		if got, want := r.URL.RequestURI(), strings.TrimSuffix(want, "?"); got != want {
			t.Errorf("%s is at %s, want %s", e.Kind(), got, want)
		}
	}
	pods := rest.For[Pod](c, "Pod").In("a").Endpoint()
	r, err := pods.Request(t.Context(), "GET", "web", "log", map[string][]string{"follow": {"true"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.URL.RequestURI(), "/api/v1/namespaces/a/pods/web/log?follow=true"; got != want {
		t.Errorf("the log is at %s, want %s", got, want)
	}
	for _, bad := range [][2]string{{"", "log"}, {"web", "a/b"}, {"..", ""}} {
		if _, err := pods.Request(t.Context(), "GET", bad[0], bad[1], nil); err == nil {
			t.Errorf("%q is let through", bad)
		}
	}
	if _, err := (rest.Endpoint{}).Request(t.Context(), "GET", "", "", nil); err == nil {
		t.Error("the zero value makes requests")
	}
	for _, k := range []rest.Kind{
		{},
		{Version: "v1", Kind: "X"},
		{Version: "v1", Plural: "x"},
		{Kind: "X", Plural: "x"},
		{Version: "v1/..", Kind: "X", Plural: "x"},
		{Version: "v1", Kind: "X", Plural: "x/y"},
		{Version: "v1", Kind: "v1/X", Plural: "x"},
		{Group: "..", Version: "v1", Kind: "X", Plural: "x"},
	} {
		if rest.ForKind[Pod](c, k).Endpoint().Err() == nil {
			t.Errorf("%+v is let through", k)
		}
	}
}

func TestEndpoint(t *testing.T) {
	c, _ := scripted(t)
	e := rest.For[Pod](c, "Pod").In("a").Endpoint()
	if e.Client() != c || e.Kind().Plural != "pods" || e.Namespace() != "a" || e.Err() != nil {
		t.Errorf("the endpoint returns %v, %v, %q, %v", e.Client(), e.Kind(), e.Namespace(), e.Err())
	}
	if got := rest.For[Pod](c, "Node").Endpoint().Object("") + e.Object("") + " " + e.Object("x"); got != "a/* a/x" {
		t.Errorf("objects are %q", got)
	}
	deployments := rest.For[Pod](c, "Deployment").In("a")
	if got, want := deployments.Key("x"), (rest.Key{Group: "apps", Kind: "Deployment", Namespace: "a", Name: "x"}); got != want {
		t.Errorf("the key is %v, want %v", got, want)
	}
	keys := []string{rest.Key{Kind: "Pod", Namespace: "a", Name: "x"}.String(), rest.Key{Kind: "Node", Name: "n"}.String(), rest.Key{Group: "apps", Kind: "Deployment", Namespace: "a", Name: "x"}.String()}
	if d := cmp.Diff([]string{"Pod a/x", "Node n", "Deployment.apps a/x"}, keys); d != "" {
		t.Error(d)
	}
}
