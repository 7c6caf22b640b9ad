package rest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

const (
	widgetsV1    = "/apis/example.com/v1/namespaces/default/widgets"
	widgetsV2    = "/apis/example.com/v2/namespaces/default/widgets"
	widgetWeb    = `{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"web","namespace":"default"}}`
	legacyGroups = `{"kind":"APIGroupList","groups":[{"name":"example.com","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}]}`
	legacyV1     = `{"kind":"APIResourceList","resources":[{"name":"widgets","kind":"Widget","namespaced":true,"verbs":["get","create"]}]}`
)

// discovers looks names up on the server.
var discovers = rest.Options{Discovery: true}

// inGroups is discovery in one document, with widgets in this version.
func inGroups(version string) reply {
	return func(r *http.Request) (*http.Response, error) {
		a := group("", item("example.com", version))
		return says(a.code, a.body, "Content-Type: "+aggregatedType)(r)
	}
}

var (
	v1, v2 = inGroups("v1:" + served("Widget", "widgets", "wd")), inGroups("v2:" + served("Widget", "widgets", "wd"))
	noCore = saysNo(http.StatusNotFound, "NotFound") // a server that serves only custom resources
)

// resentForDiscovery are the rows of discovery.
var resentForDiscovery = map[string]resentRow{
	"404 of the resource, and discovery says that the kind is served elsewhere now": scriptedRow(discovers, "Widget", createWeb, nil,
		[]string{"GET /api", "GET /apis", "POST " + widgetsV1, "GET /api", "GET /apis", "POST " + widgetsV2},
		noCore, v1, saysNo(http.StatusNotFound, "NotFound"), noCore, v2, says(http.StatusCreated, widgetWeb)),
	"discovery: 406 of everything in one document": scriptedRow(discovers, "Widget", getWeb, nil,
		[]string{"GET /api", "GET /apis", "GET /apis", "GET /apis/example.com/v1", "GET " + widgetsV1 + "/web"},
		noCore, saysNo(http.StatusNotAcceptable, "NotAcceptable"), says(http.StatusOK, legacyGroups), says(http.StatusOK, legacyV1), says(http.StatusOK, widgetWeb)),
	"discovery: the server describes each version by itself": scriptedRow(discovers, "Widget", getWeb, nil,
		[]string{"GET /api", "GET /apis", "GET /apis/example.com/v1", "GET " + widgetsV1 + "/web"},
		noCore, says(http.StatusOK, legacyGroups), says(http.StatusOK, legacyV1), says(http.StatusOK, widgetWeb)),
	"discovery: a version is marked stale": scriptedRow(discovers, "example.com/v1/Widget", getWeb, nil,
		[]string{"GET /api", "GET /apis", "GET /apis/example.com/v1", "GET " + widgetsV1 + "/web"},
		noCore, inGroups("Stale v1:"), says(http.StatusOK, legacyV1), says(http.StatusOK, widgetWeb)),
	"discovery: a name is not in what was read before": {
		want: []string{"GET /api", "GET /apis", "GET /api", "GET /apis"}, err: rest.ErrUnknownKind,
		run: func(t *testing.T, w *wire) error {
			t.Helper()
			w.answers = append(w.answers, noCore, v1, noCore, v1)
			client, err := rest.New(kubeconfig.Config{Server: "http://localhost"}, rest.Options{Discovery: true, Transport: w})
			if err != nil {
				t.Fatal(err)
			}
			return errors.Join(resolve(t.Context(), client, "Widget"), resolve(t.Context(), client, "Gadget"))
		},
	},
}

func resolve(ctx context.Context, client *rest.Client, name string) error {
	_, err := stream.Await(client.Resolve(ctx, name))
	return err
}
