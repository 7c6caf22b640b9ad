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

// What is wrong with a JSON patch. The real server says the same of all of them:
// that the patch does not fit.
var (
	errNoPath    = errors.New("there is nothing at the path")
	errNoMember  = errors.New("an operation lacks a member")
	errTest      = errors.New("the test failed")
	errOperation = errors.New("the operation is not known")
)

// applyJSONPatch applies the operations to a document, which it changes. It does
// what the server's own library does beside RFC 6902: indexes count from the end
// if they are negative, and what is not there can be replaced, but not in a list.
func applyJSONPatch(doc any, ops []map[string]any) (any, error) {
	for _, op := range ops {
		path, ok := op["path"].(string)
		if !ok {
			return nil, errNoMember
		}
		var err error
		switch op["op"] {
		case "add":
			err = addAt(doc, path, clone(op["value"]))
		case "remove":
			_, err = removeAt(doc, path)
		case "replace":
			doc, err = replaceAt(doc, path, clone(op["value"]))
		case "test":
			err = testAt(doc, path, op["value"])
		case "move", "copy":
			err = transferAt(doc, path, op)
		default:
			err = errOperation
		}
		if err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// transferAt moves or copies.
func transferAt(doc any, path string, op map[string]any) error {
	from, ok := op["from"].(string)
	if !ok {
		return errNoMember
	}
	var v any
	var err error
	if op["op"] == "move" {
		v, err = removeAt(doc, from)
	} else {
		v, err = valueAt(doc, from)
	}
	if err != nil {
		return err
	}
	return addAt(doc, path, clone(v))
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
func find(doc any, path string) (place, error) {
	words := strings.Split(path, "/")
	if len(words) < 2 {
		return place{}, errNoPath
	}
	p := place{name: pathDecoder.Replace(words[len(words)-1])}
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

func addAt(doc any, path string, v any) error {
	p, err := find(doc, path)
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

func removeAt(doc any, path string) (any, error) {
	p, err := find(doc, path)
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

func replaceAt(doc any, path string, v any) (any, error) {
	if path == "" {
		switch v.(type) {
		case map[string]any, []any:
			return v, nil
		}
		return doc, errNoPath
	}
	p, err := find(doc, path)
	if err != nil {
		return doc, err
	}
	if p.object != nil {
		p.object[p.name] = v
		return doc, nil
	}
	i, err := position(p.name, len(p.list), len(p.list)-1)
	if err == nil {
		p.list[i] = v
	}
	return doc, err
}

// valueAt returns what is at a path; members that are not there are null.
func valueAt(doc any, path string) (any, error) {
	p, err := find(doc, path)
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

func testAt(doc any, path string, want any) error {
	have := doc
	if path != "" {
		var err error
		if have, err = valueAt(doc, path); err != nil {
			return err
		}
	}
	if !same(have, want) {
		return errTest
	}
	return nil
}
