package fakeapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
)

// exchange sends one request without any connection.
func exchange(t *testing.T, s *fakeapi.Server, method, path, contentType, body string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	accept := ""
	if before, after, ok := strings.Cut(contentType, " accepting "); ok {
		contentType, accept = before, after
	}
	r.Header.Set("Content-Type", contentType)
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// step is a request and a part of its answer.
type step struct {
	method, path, contentType, body string
	code                            int
	want                            string
}

const (
	asJSON  = "application/json"
	asMerge = "application/merge-patch+json"
	asPatch = "application/json-patch+json"
	asSMP   = "application/strategic-merge-patch+json"

	mapsPath   = "/api/v1/namespaces/default/configmaps"
	podsPath   = "/api/v1/namespaces/default/pods"
	deploys    = "/apis/apps/v1/namespaces/default/deployments"
	budgetPath = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
)

// TestWrites has a little of each group; the same is held against a real server in the conformance
// module.
func TestWrites(t *testing.T) {
	const (
		aMap    = `{"metadata":{"name":"a"},"data":{"k":"v"}}`
		aDeploy = `{"metadata":{"name":"a"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},` +
			`"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"},{"name":"B","value":"2"}]}]}}}}`
		aPod    = `{"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`
		running = `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`
		aBudget = `{"metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"a":"b"}}}}`
		only    = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	)
	container := func(members string) string {
		return `{"spec":{"template":{"spec":{"containers":[{"name":"c",` + members + `}]}}}}`
	}
	tests := map[string][]step{
		"strategic merge patch": {
			{"POST", deploys, asJSON, aDeploy, 201, ""},
			{"PATCH", deploys + "/a", asSMP, container(`"env":[{"name":"A","value":"9"},{"name":"C","value":"3"}]`), 200, `"env":[{"name":"A","value":"9"},{"name":"C","value":"3"},{"name":"B","value":"2"}]`},
			{"PATCH", deploys + "/a", asSMP, container(`"$setElementOrder/env":[{"name":"B"},{"name":"A"}],"env":[{"name":"C","$patch":"delete"}]`), 200, `"env":[{"name":"B","value":"2"},{"name":"A","value":"9"}]`},
			{"PATCH", deploys + "/a", asSMP, container(`"env":[{"$patch":"replace"}]`), 200, `"containers":[{"image":"i","name":"c"}]`},
			{"PATCH", deploys + "/a", asSMP, container(`"env":[{"value":"1"}]`), 200, `"env":[{"value":"1"}]`},
			{"PATCH", deploys + "/a", asSMP, container(`"env":[{"value":"2"}]`), 500, "does not contain declared merge key: name"},
			{"PATCH", deploys + "/a", asSMP, `{"spec":{"$retainKeys":["replicas"],"selector":{}}}`, 400, "invalid patch format of retainKeys"},
			{"PATCH", deploys + "/a", asSMP, `{"spec":{"$setElementOrder/none":[]}}`, 501, "not implemented"},
			{"PATCH", deploys + "/a", asSMP, container(`"args":["x"],"$setElementOrder/args":["x"]`), 501, "not implemented"},
			{"PATCH", deploys + "/a", asSMP, `{"spec":{"strategy":{"$patch":"sometimes"}}}`, 500, "unknown patch type: sometimes in map: map[$patch:sometimes]"},
		},
		"JSON patch": {
			{"POST", mapsPath, asJSON, aMap, 201, ""},
			{"PATCH", mapsPath + "/a", asPatch, `[{"op":"test","path":"/data/k","value":"v"},{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/a~1b","value":"c"}]`, 200, `"annotations":{"a/b":"c"}`},
			{"PATCH", mapsPath + "/a", asPatch, `[{"op":"add","path":"/data/l","value":"x"},{"op":"test","path":"/data/k","value":"w"}]`, 422, `"reason":"Invalid"`},
			{"GET", mapsPath + "/a", "", "", 200, `"data":{"k":"v"}`},
			{"PATCH", mapsPath + "/a", asPatch, `{}`, 400, "[]handlers.jsonPatchOp"},
			{"PATCH", mapsPath + "/a", asPatch, `[{"op":"add","path":"/metadata/finalizers","value":["x/a"]},{"op":"add","path":"/metadata/finalizers/-","value":"x/b"},` +
				`{"op":"move","from":"/metadata/finalizers/0","path":"/metadata/finalizers/1"}]`, 200, `"finalizers":["x/b","x/a"]`},
		},
		"scale": {
			{"POST", deploys, asJSON, aDeploy, 201, ""},
			{"GET", deploys + "/a/scale", "", "", 200, `"spec":{"replicas":2},"status":{"replicas":0,"selector":"a=b"}`},
			{"PATCH", deploys + "/a/scale", asMerge, `{"spec":{"replicas":0}}`, 200, `"spec":{},`},
			{"PUT", deploys + "/a/scale", asJSON, `{"metadata":{"name":"a"},"spec":{"replicas":-1}}`, 422, "must be greater than or equal to 0"},
			{"PATCH", deploys + "/a/scale", asMerge, `{"metadata":{"resourceVersion":"1"},"spec":{"replicas":3}}`, 409, "the object has been modified"},
			{"GET", deploys + "/a", "", "", 200, `"generation":2`},
		},
		"eviction": {
			{"POST", podsPath, asJSON, aPod, 201, ""},
			{"PATCH", podsPath + "/p/status", asMerge, running, 200, ""},
			{"POST", budgetPath, asJSON, aBudget, 201, ""},
			{"POST", podsPath + "/p/eviction", asJSON, `{"metadata":{"name":"p"}}`, 429, `"retryAfterSeconds":10`},
			{"PATCH", budgetPath + "/b/status", asMerge, `{"status":{"observedGeneration":1,"disruptionsAllowed":1}}`, 200, ""},
			{"POST", podsPath + "/p/eviction?dryRun=All", asJSON, `{"metadata":{"name":"p"}}`, 201, `"status":"Success"`},
			{"POST", podsPath + "/p/eviction", asJSON, `{"metadata":{"name":"p"}}`, 201, `"status":"Success"`},
			{"GET", podsPath + "/p", "", "", 200, `"reason":"EvictionByEvictionAPI"`},
			{"GET", budgetPath + "/b", "", "", 200, `"disruptionsAllowed":0`},
			{"POST", podsPath, asJSON, strings.Replace(aPod, `"p"`, `"q"`, 1), 201, ""},
			{"PATCH", podsPath + "/q/status", asMerge, running, 200, ""},
			{"POST", podsPath + "/q/eviction", asJSON, `{"metadata":{"name":"q"}}`, 429, "needs 0 healthy pods and has 0 currently"},
			{"POST", budgetPath, asJSON, strings.Replace(aBudget, `"b"`, `"b2"`, 1), 201, ""},
			{"POST", podsPath + "/q/eviction", asJSON, `{"metadata":{"name":"q"}}`, 500, "more than one PodDisruptionBudget"},
		},
		"update that creates": {
			{"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/a", asJSON, `{"metadata":{"name":"a"}}`, 201, `"uid"`},
			{"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/a", asJSON, `{"metadata":{"name":"a"}}`, 422, "must be specified for an update"},
			{"PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/b", asJSON, `{"metadata":{"name":"b","uid":"u"}}`, 409, "Precondition failed"},
			{"PATCH", "/apis/coordination.k8s.io/v1/namespaces/default/leases/b", asMerge, `{}`, 404, ""},
			{"PUT", mapsPath + "/b", asJSON, `{"metadata":{"name":"b"}}`, 404, ""},
		},
		"reviews": {
			{"POST", whoAmI, asJSON, `{}`, 201, `"userInfo":{"groups":["system:masters","system:authenticated"],"username":"admin"}`},
			{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", asJSON, `{"spec":{"resourceAttributes":{"verb":"get"}}}`, 201, `"status":{"allowed":true}`},
			{"POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", asJSON, `{"spec":{"namespace":"x"}}`, 201, `"verbs":["*"]`},
			{"POST", "/apis/authentication.k8s.io/v1/tokenreviews", asJSON, `{"spec":{"token":"x"}}`, 501, "on a server that asks for none"},
			{"GET", whoAmI, "", "", 405, ""},
		},
		"token": {
			{"POST", "/api/v1/namespaces/default/serviceaccounts", asJSON, `{"metadata":{"name":"a"}}`, 201, ""},
			{"POST", "/api/v1/namespaces/default/serviceaccounts/a/token", asJSON, `{}`, 201, `"expirationSeconds":3600`},
			{"POST", "/api/v1/namespaces/default/serviceaccounts/a/token", asJSON, `{"spec":{"expirationSeconds":5}}`, 422, "10 minutes"},
		},
		"metadata alone": {
			{"POST", mapsPath, asJSON, aMap, 201, ""},
			{"GET", mapsPath + "/a", " accepting " + only, "", 200, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a",`},
			{"GET", mapsPath, " accepting " + only, "", 406, "*core.ConfigMapList"},
			{"GET", mapsPath, " accepting " + strings.Replace(only, "Metadata;", "MetadataList;", 1), "", 200, `"kind":"PartialObjectMetadataList"`},
		},
		"options": {
			{"POST", mapsPath + "?dryRun=All", asJSON, aMap, 201, `"name":"a"`},
			{"GET", mapsPath + "/a", "", "", 404, ""},
			{"POST", mapsPath + "?dryRun=", asJSON, aMap, 422, `Unsupported value: [\"\"]`},
			{"POST", mapsPath + "?fieldManager=" + strings.Repeat("m", 129), asJSON, aMap, 422, "may not be more than 128 bytes"},
			{"POST", mapsPath, asJSON, aMap, 201, ""},
			{"DELETE", mapsPath, asJSON, `{"preconditions":{"resourceVersion":"1"}}`, 409, "does not match the ResourceVersion in record"},
			{"PATCH", mapsPath + "/a?fieldValidation=Strict", asMerge, `{"unknown":1}`, 422, `strict decoding error: unknown field \"unknown\"`},
		},
		"not implemented": {
			{"POST", podsPath, asJSON, aPod, 201, ""},
			{"GET", podsPath + "/p/ephemeralcontainers", "", "", 501, "pods/ephemeralcontainers"},
			{"PATCH", podsPath + "/p/resize", asMerge, "{}", 501, "pods/resize"},
			{"POST", podsPath + "/p/binding", asJSON, "{}", 501, "pods/binding"},
			{"PATCH", podsPath + "/p", "application/apply-patch+yaml", "{}", 501, "apply-patch"},
			{"GET", podsPath + "/p/nonsense", "", "", 404, ""},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			s := fakeapi.New(t, fakeapi.Options{})
			for _, st := range steps {
				code, got := exchange(t, s, st.method, st.path, st.contentType, st.body)
				if code != st.code || !strings.Contains(got, st.want) {
					t.Errorf("%s %s %s\ngot  %d %s\nwant %d and %s", st.method, st.path, st.body, code, got, st.code, st.want)
				}
			}
		})
	}
}

// A token that the server gave out is one that it takes.
func TestTokenOfAccount(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{
		Tokens:  map[string]string{"t": "admin"},
		Objects: []any{rest.Object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": "a"}}},
	})
	ask := func(method, path, token, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	o, err := rest.Decode[rest.Object](ask(http.MethodPost, "/api/v1/namespaces/default/serviceaccounts/a/token", "t", `{}`).Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if w := ask(http.MethodGet, mapsPath, o.String("status", "token"), ""); w.Code != http.StatusOK {
		t.Errorf("the token is not taken: %d %s", w.Code, w.Body)
	}
}

// TestDeleteOfPage deletes what a list with the same parameters returns, and no more.
func TestDeleteOfPage(t *testing.T) {
	s := fakeapi.New(t, fakeapi.Options{})
	for _, name := range []string{"a", "b", "c"} {
		exchange(t, s, "POST", mapsPath, asJSON, `{"metadata":{"name":"`+name+`"}}`)
	}
	for _, query := range []string{"?limit=x", "?limit=", "?continue=x", "?resourceVersion=x", "?propagationPolicy="} {
		if code, body := exchange(t, s, "DELETE", mapsPath+query, "", ""); code != http.StatusBadRequest && code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", query, code, body)
		}
	}
	if code, body := exchange(t, s, "DELETE", mapsPath+"?limit=2", "", ""); code != http.StatusOK || strings.Count(body, `"name"`) != 2 || !strings.Contains(body, `"continue"`) {
		t.Errorf("a page of two: %d %s", code, body)
	}
	if _, body := exchange(t, s, "GET", mapsPath, "", ""); strings.Count(body, `"name"`) != 1 || !strings.Contains(body, `"name":"c"`) {
		t.Errorf("left after a page of two: %s", body)
	}
}
