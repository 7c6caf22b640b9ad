package rest_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
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

// The largest limit there is holds for the items of a list and the frames of a watch, too.
func TestLargestLimitOfItems(t *testing.T) {
	large := strings.Repeat("x", 2<<20)
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		item := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","resourceVersion":"5","annotations":{"a":"` + large + `"}}}`
		if r.URL.Query().Get("watch") == "true" {
			_, _ = io.WriteString(w, `{"type":"ADDED","object":`+item+"}\n")
			return
		}
		_, _ = io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[`+item+`]}`)
	}), kubeconfig.Config{})
	for limit, want := range map[int64]error{math.MaxInt64: nil, math.MaxInt64 - 1: nil, -1: nil, 0: nil, 1 << 20: rest.ErrTooLarge} {
		pods := rest.For[rest.Object](c, "Pod").In("default").With(rest.CallOptions{MaxObject: limit})
		list, err := stream.Await(pods.List(t.Context(), rest.ListOptions{}))
		if !errors.Is(err, want) || err == nil && len(list.Items) != 1 {
			t.Errorf("a list with a limit of %d: %v", limit, err)
		}
		for r := range pods.Each(t.Context(), rest.ListOptions{}) {
			if !errors.Is(r.Err, want) {
				t.Errorf("each with a limit of %d: %v", limit, r.Err)
			}
		}
		frames, err := pods.Endpoint().Watch(t.Context(), rest.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if f, err := frames.Next(); !errors.Is(err, want) || err == nil && len(f.JSON) < len(large) {
			t.Errorf("a frame with a limit of %d: %v", limit, err)
		}
		frames.Close()
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
