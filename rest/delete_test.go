package rest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
)

// Only the options that are set are sent.
func TestDeleteOptions(t *testing.T) {
	zero, minute := int64(0), int64(60)
	for want, o := range map[string]rest.DeleteOptions{
		"": {},
		`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"}`:            {Propagation: rest.Orphan},
		`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`:                  {GracePeriodSeconds: &zero},
		`{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}`:             {UID: "u"},
		`{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":"7"}}`: {ResourceVersion: "7"},
		`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","gracePeriodSeconds":60,"preconditions":{"uid":"u","resourceVersion":"7"}}`: {
			Propagation: rest.Foreground, GracePeriodSeconds: &minute, UID: "u", ResourceVersion: "7",
		},
	} {
		c, s := scripted(t, ok(""))
		if err := errOf(rest.For[Pod](c, "Pod").In("default").Delete(t.Context(), "web", o)); err != nil {
			t.Error(err)
		}
		contentType := ""
		if want != "" {
			contentType = "application/json"
		}
		if d := cmp.Diff([]call{{"DELETE", "/api/v1/namespaces/default/pods/web", contentType, want}}, s.requests()); d != "" {
			t.Error(d)
		}
	}
}

func TestDeleteGarbage(t *testing.T) {
	for _, body := range []string{"<html>", "[]", `{"metadata":`, `{"metadata":{"name":5}}`} {
		c, _ := scripted(t, ok(body))
		err := errOf(rest.For[Pod](c, "Pod").In("default").Delete(t.Context(), "web", rest.DeleteOptions{}))
		if !strings.HasPrefix(errText(err), "delete pods default/web: decoding the answer: ") {
			t.Errorf("%q: error is %v", body, err)
		}
	}
}
