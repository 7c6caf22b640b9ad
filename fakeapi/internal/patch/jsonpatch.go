package patch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// maxCopied is how many bytes the operations of a patch may copy, so that a patch cannot grow an
// object without limit.
const maxCopied = 3 << 20

// What can be wrong with a JSON patch. kube-apiserver says the same about all of it: that the patch
// does not fit.
var (
	errNoPath    = errors.New("there is nothing at the path")
	errNoMember  = errors.New("an operation lacks a member")
	errTest      = errors.New("the test failed")
	errOperation = errors.New("the operation is not known")
	errCopied    = errors.New("too much is copied")
)

// Operations applies a JSON patch to a document, which it changes, and returns the result. An error
// means that the patch does not fit the document.
//
// It also does what kube-apiserver's own library does beyond RFC 6902: negative indexes count from
// the end, and a missing member can be replaced, but not a missing item of a list.
func Operations(doc any, ops []map[string]any) (any, error) {
	root := &document{doc}
	copied := 0
	for _, op := range ops {
		path, ok := op["path"].(string)
		if !ok {
			return nil, errNoMember
		}
		var err error
		switch op["op"] {
		case "add":
			err = root.add(path, value.Clone(op["value"]))
		case "remove":
			_, err = root.remove(path)
		case "replace":
			err = root.replace(path, value.Clone(op["value"]))
		case "test":
			err = root.test(path, op["value"])
		case "move", "copy":
			err = root.transfer(path, op, &copied)
		default:
			err = errOperation
		}
		if err != nil {
			return nil, err
		}
	}
	return root.value, nil
}

// document is what a patch changes.
type document struct{ value any }

// transfer moves or copies, and counts what is copied.
func (d *document) transfer(path string, op map[string]any, copied *int) error {
	from, ok := op["from"].(string)
	if !ok {
		return errNoMember
	}
	var v any
	var err error
	if op["op"] == "move" {
		v, err = d.remove(from)
	} else {
		v, err = d.get(from)
		*copied += len(value.Encode(v))
	}
	switch {
	case err != nil:
		return err
	case *copied > maxCopied:
		return errCopied
	}
	return d.add(path, value.Clone(v))
}

// UnknownMembers returns the paths of the members that no operation of a JSON patch has.
func UnknownMembers(ops []map[string]any) []string {
	var out []string
	for i, op := range ops {
		for k := range op {
			if !slices.Contains([]string{"op", "path", "from", "value"}, k) {
				out = append(out, fmt.Sprintf("[%d].%s", i, k))
			}
		}
	}
	return out
}
