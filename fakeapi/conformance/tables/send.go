package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
)

// reply is an answer of any status, decoded.
type reply struct {
	code int
	doc  map[string]any

	warning string // the first one, as it is written
}

const mergePatch = "application/merge-patch+json"

// send sends a request, with a body unless it is nil.
func (c *client) send(ctx context.Context, method, path string, body any) (reply, error) {
	var reader io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.url+path, reader)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Authorization", "Bearer "+realapi.Admin.Token)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", mergePatch)
	}
	resp, err := (&http.Client{Transport: c.transport}).Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	r := reply{code: resp.StatusCode, warning: resp.Header.Get("Warning")}
	if err := json.NewDecoder(resp.Body).Decode(&r.doc); err != nil {
		return reply{}, fmt.Errorf("%s %s: %s: %w", method, path, resp.Status, err)
	}
	return r, nil
}

// at returns what is at a path of the answer, or nil.
func (r reply) at(path ...string) any {
	var v any = r.doc
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// text returns the string at a path, or "".
func (r reply) text(path ...string) string {
	s, _ := r.at(path...).(string)
	return s
}

// generation returns the generation of the object, or 0.
func (r reply) generation() int {
	n, _ := r.at("metadata", "generation").(float64)
	return int(n)
}

// refuses reports whether a cause of a refusal is about a field.
func (r reply) refuses(field string) bool {
	causes, _ := r.at("details", "causes").([]any)
	for _, c := range causes {
		m, _ := c.(map[string]any)
		if m["field"] == field {
			return true
		}
	}
	return false
}

// want returns an error for an answer with another status.
func (r reply) want(code int) error {
	if r.code == code {
		return nil
	}
	return fmt.Errorf("%d %s", r.code, r.text("message"))
}
