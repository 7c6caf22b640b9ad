package fakeapi

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/patch"
	"github.com/tideway-go/tideway/rest"
)

// The content types of patches.
const (
	mergeType     = "application/merge-patch+json"
	jsonType      = "application/json-patch+json"
	strategicType = "application/strategic-merge-patch+json"
	applyType     = "application/apply-patch+yaml"
)

// patchType returns the content type of a patch. Other than that of an object, it has to be written
// as it is here.
func (r *request) patchType() string {
	ct, _, _ := strings.Cut(r.header.Get("Content-Type"), ";")
	return ct
}

// checkPatchType refuses patches of an unknown type.
func (r *resource) checkPatchType(ct string) *rest.Status {
	switch {
	case ct == applyType:
		return notImplemented("patches of " + ct)
	case ct == strategicType && r.custom, ct != mergeType && ct != jsonType && ct != strategicType:
		return r.unknownPatch(ct)
	}
	return nil
}

// readMergePatch reads a merge patch, which has to be an object.
func readMergePatch(raw []byte) (map[string]any, *rest.Status) {
	p, err := decodeObject(raw)
	switch {
	case errors.Is(err, errNull):
		return nil, badRequest("Invalid JSON Patch")
	case err != nil:
		return nil, badRequest("error decoding patch: %v", notAnObject(raw, err))
	}
	return p, nil
}

// readStrategicPatch reads a strategic merge patch, which has to be an object or null.
func readStrategicPatch(raw []byte) (map[string]any, *rest.Status) {
	p, err := decodeObject(raw)
	if err != nil && !errors.Is(err, errNull) {
		return nil, badRequest("%v", notAnObject(raw, err))
	}
	return p, nil
}

// notAnObject returns the error of encoding/json for a text that is not an object: its words are
// those of kube-apiserver.
func notAnObject(raw []byte, err error) error {
	var m map[string]any
	if as := stdjson.Unmarshal(raw, &m); as != nil {
		return as
	}
	return err
}

// maxOperations is how many operations a JSON patch may have.
const maxOperations = 10000

// jsonPatchOp is what kube-apiserver reads of an operation. Some messages show its name.
type jsonPatchOp struct {
	Op    string  `json:"op"`
	Path  *string `json:"path"`
	From  *string `json:"from"`
	Value any     `json:"value"`
}

// readJSONPatch reads a JSON patch.
func readJSONPatch(raw []byte, twice bool, validation string) ([]map[string]any, *rest.Status) {
	ops, err := rest.Decode[[]map[string]any](raw)
	if err != nil || twice || validation != "Ignore" && slices.ContainsFunc(*ops, isOtherOperation) {
		if st := unreadableOperations(raw, validation); st != nil {
			return nil, st
		}
	}
	if err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	if n := len(*ops); n > maxOperations {
		return nil, failure(http.StatusRequestEntityTooLarge, rest.ReasonRequestEntityTooLarge,
			fmt.Sprintf("Request entity too large: The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, n), nil)
	}
	return *ops, nil
}

// isOtherOperation reports whether an operation has members of other names or types than the usual
// ones.
func isOtherOperation(op map[string]any) bool {
	for k, v := range op {
		switch k {
		case "op", "path", "from":
			if v != nil && !isText(v) {
				return true
			}
		case "value":
		default:
			return true
		}
	}
	return false
}

// unreadableOperations refuses a JSON patch in the words of kube-apiserver, if it is not a list of
// operations.
func unreadableOperations(raw []byte, validation string) *rest.Status {
	if validation == "Ignore" {
		type Patch []map[string]*stdjson.RawMessage
		if err := stdjson.Unmarshal(raw, &Patch{}); err != nil {
			return badRequest("%s", strings.ReplaceAll(err.Error(), "fakeapi.", "jsonpatch."))
		}
	} else if err := stdjson.Unmarshal(raw, &[]jsonPatchOp{}); err != nil {
		return badRequest("error decoding patch: %s", strings.ReplaceAll(err.Error(), "fakeapi.", "handlers."))
	}
	return nil
}

// strategicProblem is the answer to a patch that cannot be applied.
func strategicProblem(err error) *rest.Status {
	switch {
	case errors.Is(err, patch.ErrFormat):
		return badRequest("%s", err.Error())
	case errors.Is(err, patch.ErrListOfLists):
		return unfit()
	case errors.Is(err, patch.ErrUnknownOrder):
		return notImplemented(err.Error())
	}
	return internal(err.Error())
}

// unfit refuses a patch that does not fit its object, without saying why.
func unfit() *rest.Status {
	return failure(http.StatusUnprocessableEntity, rest.ReasonInvalid,
		"the server rejected our request due to an error in our request", &rest.StatusDetails{})
}
