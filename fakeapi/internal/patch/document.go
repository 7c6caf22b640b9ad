package patch

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
)

// place is where a path ends: in an object or in a list. A list may have to be replaced by another
// one; set does that where the list is.
type place struct {
	object map[string]any
	list   []any
	set    func(list []any)
	name   string
}

var pathDecoder = strings.NewReplacer("~1", "/", "~0", "~")

// find returns the place where a path ends.
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

// position reads an index of a list of some length, up to a maximum.
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

// get returns the value at a path; missing members are null.
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
	if !value.Same(have, want) {
		return errTest
	}
	return nil
}
