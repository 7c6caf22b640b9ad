package fakeapi

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// maxOperations is how many operations a JSON patch may have.
const maxOperations = 10000

// jsonPatchOp is what the real server reads of an operation; its name appears in
// messages.
type jsonPatchOp struct {
	Op    string  `json:"op"`
	Path  *string `json:"path"`
	From  *string `json:"from"`
	Value any     `json:"value"`
}

// readJSONPatch reads a JSON patch.
func readJSONPatch(raw []byte, validation string) ([]map[string]any, *rest.Status) {
	if validation == "Ignore" {
		type Patch []map[string]*stdjson.RawMessage
		if err := stdjson.Unmarshal(raw, &Patch{}); err != nil {
			return nil, badRequest("%s", strings.ReplaceAll(err.Error(), "fakeapi.", "jsonpatch."))
		}
	} else if err := stdjson.Unmarshal(raw, &[]jsonPatchOp{}); err != nil {
		return nil, badRequest("error decoding patch: %s", strings.ReplaceAll(err.Error(), "fakeapi.", "handlers."))
	}
	ops, err := rest.Decode[[]map[string]any](raw)
	if err != nil {
		return nil, badRequest("error decoding patch: %v", err)
	}
	if n := len(*ops); n > maxOperations {
		return nil, failure(http.StatusRequestEntityTooLarge, rest.ReasonRequestEntityTooLarge,
			fmt.Sprintf("Request entity too large: The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, n), nil)
	}
	return *ops, nil
}

// unknownOperationMembers returns the paths of the members that no operation
// has.
func unknownOperationMembers(ops []map[string]any) []string {
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

// maxCopied is how many bytes the operations of a patch may copy, so that a
// patch cannot grow an object without end.
const maxCopied = 3 << 20

// What is wrong with a JSON patch. The real server says the same of all of them:
// that the patch does not fit.
var (
	errNoPath    = errors.New("there is nothing at the path")
	errNoMember  = errors.New("an operation lacks a member")
	errTest      = errors.New("the test failed")
	errOperation = errors.New("the operation is not known")
	errCopied    = errors.New("too much is copied")
)

// applyJSONPatch applies the operations to a document, which it changes. It does
// what the server's own library does beside RFC 6902: indexes count from the end
// if they are negative, and what is not there can be replaced, but not in a list.
func applyJSONPatch(doc any, ops []map[string]any) (any, error) {
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
			err = root.add(path, clone(op["value"]))
		case "remove":
			_, err = root.remove(path)
		case "replace":
			err = root.replace(path, clone(op["value"]))
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
		*copied += len(encodeSorted(v))
	}
	switch {
	case err != nil:
		return err
	case *copied > maxCopied:
		return errCopied
	}
	return d.add(path, clone(v))
}

// place is where a path ends: in an object or in a list, which sits in something
// itself since it may have to be another one.
type place struct {
	object map[string]any
	list   []any
	set    func(list []any)
	name   string
}

var pathDecoder = strings.NewReplacer("~1", "/", "~0", "~")

// find goes to where a path ends.
func (d *document) find(path string) (place, error) {
	words := strings.Split(path, "/")
	if len(words) < 2 {
		return place{}, errNoPath
	}
	doc := d.value
	p := place{name: pathDecoder.Replace(words[len(words)-1]), set: func(list []any) { d.value = list }}
	for _, word := range words[1 : len(words)-1] {
		word = pathDecoder.Replace(word)
		switch in := doc.(type) {
		case map[string]any:
			doc = in[word]
			p.set = func(list []any) { in[word] = list }
		case []any:
			i, err := position(word, len(in), len(in)-1)
			if err != nil {
				return p, err
			}
			doc = in[i]
			p.set = func(list []any) { in[i] = list }
		default:
			return p, errNoPath
		}
	}
	switch in := doc.(type) {
	case map[string]any:
		p.object = in
	case []any:
		p.list = in
	default:
		return p, errNoPath
	}
	return p, nil
}

// position reads an index of a list with a length, up to a maximum.
func position(word string, length, most int) (int, error) {
	i, err := strconv.Atoi(word)
	if err != nil {
		return 0, err
	}
	if i < 0 {
		i += length
	}
	if i < 0 || i > most {
		return 0, errNoPath
	}
	return i, nil
}

func (d *document) add(path string, v any) error {
	p, err := d.find(path)
	if err != nil {
		return err
	}
	if p.object != nil {
		p.object[p.name] = v
		return nil
	}
	i := len(p.list)
	if p.name != "-" {
		if i, err = position(p.name, len(p.list)+1, len(p.list)); err != nil {
			return err
		}
	}
	p.set(slices.Insert(slices.Clone(p.list), i, v))
	return nil
}

func (d *document) remove(path string) (any, error) {
	p, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if p.object != nil {
		v, ok := p.object[p.name]
		if !ok {
			return nil, errNoPath
		}
		delete(p.object, p.name)
		return v, nil
	}
	i, err := position(p.name, len(p.list), len(p.list)-1)
	if err != nil {
		return nil, err
	}
	v := p.list[i]
	p.set(slices.Delete(slices.Clone(p.list), i, i+1))
	return v, nil
}

func (d *document) replace(path string, v any) error {
	if path == "" {
		switch v.(type) {
		case map[string]any, []any:
			d.value = v
			return nil
		}
		return errNoPath
	}
	p, err := d.find(path)
	if err != nil {
		return err
	}
	if p.object != nil {
		p.object[p.name] = v
		return nil
	}
	i, err := position(p.name, len(p.list), len(p.list)-1)
	if err == nil {
		p.list[i] = v
	}
	return err
}

// get returns what is at a path; members that are not there are null.
func (d *document) get(path string) (any, error) {
	p, err := d.find(path)
	if err != nil {
		return nil, err
	}
	if p.object != nil {
		return p.object[p.name], nil
	}
	i, err := position(p.name, len(p.list), len(p.list)-1)
	if err != nil {
		return nil, err
	}
	return p.list[i], nil
}

func (d *document) test(path string, want any) error {
	have := d.value
	if path != "" {
		var err error
		if have, err = d.get(path); err != nil {
			return err
		}
	}
	if !same(have, want) {
		return errTest
	}
	return nil
}
