package rest_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/tideway-go/tideway/rest"
)

// A Status with a member of the wrong type is still a refusal, by its code or its reason.
func TestStatusWithAnOddMember(t *testing.T) {
	for members, want := range map[string]string{
		`"code":409,"reason":"Conflict","message":"m","details":"none"`: "get pods default/web: conflict (409): m",
		`"code":409,"message":"m","metadata":[]`:                        "get pods default/web: conflict (409): m",
		`"code":"409","reason":"Conflict","message":["m"]`:              "get pods default/web: conflict (409)",
	} {
		body := `{"kind":"Status","apiVersion":"v1","status":"Failure",` + members + `}`
		for _, code := range []int{http.StatusOK, http.StatusConflict} {
			c, _ := scripted(t, answer{code: code, body: body})
			err := errOf(rest.For[rest.Object](c, "Pod").In("default").Get(t.Context(), "web"))
			if !errors.Is(err, rest.ErrConflict) || code == http.StatusConflict && err.Error() != want {
				t.Errorf("%d with %s: %v, want %s", code, members, err, want)
			}
		}
	}
}
