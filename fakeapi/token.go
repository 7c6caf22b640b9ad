package fakeapi

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// continueToken is what a token says, in the form that kube-apiserver uses.
type continueToken struct {
	Form    string `json:"v"`
	Version int64  `json:"rv"`
	Start   string `json:"start"`
}

const tokenForm = "meta.k8s.io/v1"

func (t continueToken) String() string {
	t.Form = tokenForm
	return base64.RawURLEncoding.EncodeToString(value.Encode(t))
}

// parseToken reads a token. The errors have the words of kube-apiserver.
func parseToken(text string) (continueToken, error) {
	var t continueToken
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	switch {
	case err != nil:
		return t, fmt.Errorf("continue key is not valid: %w", err)
	case t.Form != tokenForm:
		return t, fmt.Errorf("continue key is not valid: server does not recognize this encoded version %s", t.Form)
	case t.Version == 0:
		return t, errors.New("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.Start == "":
		return t, errors.New("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	}
	start := t.Start
	if !strings.HasPrefix(start, "/") {
		start = "/" + start
	}
	if path.Clean(start) != start {
		return t, fmt.Errorf("continue key is not valid: %s", t.Start)
	}
	return t, nil
}

// inconsistent says that a token has expired, and how to go on anyway.
const inconsistent = "The provided continue parameter is too old to display a consistent list result. " +
	"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder " +
	"of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
	"deleted between the time the first chunk was returned and now may show up in the list."
