package rest_test

import (
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// The largest limit there is does not overflow, and an answer without a body is read as one.
func TestLargestLimitAndBareAnswers(t *testing.T) {
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/nothing" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", "7")
			return
		}
		_, _ = io.WriteString(w, "content")
		_ = http.NewResponseController(w).Flush()
	}), kubeconfig.Config{})
	for _, limit := range []int64{math.MaxInt64, 7, -1} {
		largest, err := rest.New(kubeconfig.Config{Server: c.Server()}, rest.Options{Defaults: rest.CallOptions{MaxObject: limit}})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []struct {
			request rest.Request
			want    string
		}{
			{rest.Request{Path: "/"}, "content"},
			{rest.Request{Path: "/", Method: http.MethodHead}, ""},
			{rest.Request{Path: "/nothing"}, ""},
			{rest.Request{Path: "/nothing", Method: http.MethodDelete}, ""},
		} {
			got, err := one(t, largest.Do(t.Context(), q.request))
			if err != nil || string(got.Body) != q.want {
				t.Errorf("%v with a limit of %d: got %q, %v", q.request, limit, got.Body, err)
			}
		}
		largest.CloseIdle()
	}
}

// A patch that cannot be one is refused with what is wrong with it.
func TestWordsForAWrongPatch(t *testing.T) {
	c, _ := scripted(t)
	pods := rest.For[rest.Object](c, "Pod").In("default")
	for doc, want := range map[string]string{
		"":         "the patch is empty",
		" ":        "the patch is empty",
		"null":     "the patch is empty",
		"not json": "the patch is not JSON",
		"nothing":  "the patch is not JSON",
		"{}x":      "the patch is not JSON",
		"[]":       "a merge patch must be an object",
		"7":        "a merge patch must be an object",
	} {
		if err := errOf(pods.Patch(t.Context(), "web", rest.MergePatch(doc))); errText(err) != "rest: patch pods default/web: "+want {
			t.Errorf("%q: %v", doc, err)
		}
	}
}
