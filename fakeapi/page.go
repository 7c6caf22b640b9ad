package fakeapi

import (
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// page is the answer to a list.
type page struct {
	items     []*object
	version   uint64
	token     string
	remaining *int64
}

// page returns the selected objects from a start on. A full page has a token if there is any object
// after it, selected or not: the next page may be empty. Keys in tokens are relative to the
// namespace, if the list is of one.
func (r *resource) page(objects map[string]*object, sel *selection, start string, version uint64, limit int64) *page {
	p := &page{version: version, items: []*object{}}
	start = strings.TrimPrefix(start, "/")
	last := ""
	keys := r.sortedKeys(objects, sel.namespace)
	for i, k := range keys {
		below := strings.TrimPrefix(strings.TrimPrefix(k, sel.namespace), "/")
		if below < start || sel.only() && !sel.matches(r, objects[k]) {
			continue
		}
		if limit > 0 && int64(len(p.items)) == limit {
			p.token = continueToken{Version: int64(version), Start: "/" + last + "\x00"}.String()
			if sel.all() {
				n := int64(len(keys) - i)
				p.remaining = &n
			}
			break
		}
		if !sel.matches(r, objects[k]) {
			continue
		}
		p.items = append(p.items, objects[k])
		last = below
	}
	return p
}

// meta is the metadata of the list.
func (p *page) meta() rest.ListMeta {
	return rest.ListMeta{ResourceVersion: strconv.FormatUint(p.version, 10), Continue: p.token, RemainingItemCount: p.remaining}
}

// raw encodes the page as a list of the resource.
func (p *page) raw(r *resource) []byte {
	m := p.meta()
	var out []byte
	list := r.kind.Kind + "List"
	if r.custom {
		out = append(out, `{"apiVersion":"`+r.kind.APIVersion()+`","items":[`...)
		out = p.appendItems(out, r)
		fields := map[string]any{"continue": m.Continue, "resourceVersion": m.ResourceVersion}
		if m.RemainingItemCount != nil {
			fields["remainingItemCount"] = *m.RemainingItemCount
		}
		return append(out, `],"kind":"`+list+`","metadata":`+string(value.Encode(fields))+`}`...)
	}
	out = append(out, `{"kind":"`+list+`","apiVersion":"`+r.kind.APIVersion()+`","metadata":`+string(value.Encode(m))+`,"items":[`...)
	return append(p.appendItems(out, r), ']', '}')
}

func (p *page) appendItems(out []byte, r *resource) []byte {
	for i, o := range p.items {
		if i > 0 {
			out = append(out, ',')
		}
		out = o.appendItem(out, r)
	}
	return out
}
