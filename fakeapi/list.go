package fakeapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// matches of resource versions.
const (
	exact        = "Exact"
	notOlderThan = "NotOlderThan"
)

// listOptions are the parameters of a list or a watch.
type listOptions struct {
	watch     bool
	version   string
	match     string
	limit     int64
	token     string
	bookmarks bool
	initial   *bool
	timeout   time.Duration
}

// listOptionsOf reads the parameters of a list or a watch, and refuses what
// contradicts itself.
func listOptionsOf(q url.Values) (listOptions, *rest.Status) {
	o := listOptions{
		watch: boolOf(q, "watch"), version: q.Get("resourceVersion"), match: q.Get("resourceVersionMatch"),
		token: q.Get("continue"), bookmarks: boolOf(q, "allowWatchBookmarks"),
	}
	for name, set := range map[string]func(int64){
		"limit":          func(n int64) { o.limit = n },
		"timeoutSeconds": func(n int64) { o.timeout = time.Duration(n) * time.Second },
	} {
		v := q.Get(name)
		if v == "" {
			continue
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return o, badRequest("%s", err.Error())
		}
		set(n)
	}
	if q.Has("sendInitialEvents") {
		v := boolOf(q, "sendInitialEvents")
		o.initial = &v
	}
	// What the real server does since 1.34, and what its checks then see.
	if o.watch && o.initial == nil && o.match == "" && (o.version == "" || o.version == "0") {
		yes := true
		o.initial, o.match = &yes, notOlderThan
	}
	var causes []rest.StatusCause
	if o.watch {
		causes = o.checkWatch()
	} else {
		causes = o.checkList()
	}
	if len(causes) > 0 {
		return o, invalidOptions("ListOptions", causes...)
	}
	return o, nil
}

// boolOf reads a parameter as the real server does: what is there and is not
// plainly false is true.
func boolOf(q url.Values, name string) bool {
	if !q.Has(name) {
		return false
	}
	v := q.Get(name)
	return v != "0" && !strings.EqualFold(v, "false")
}

const matchField = "resourceVersionMatch"

func (o *listOptions) checkList() []rest.StatusCause {
	var causes []rest.StatusCause
	if o.match != "" {
		if o.version == "" {
			causes = append(causes, valid.Forbidden(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if o.token != "" {
			causes = append(causes, valid.Forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"))
		}
		if o.match != exact && o.match != notOlderThan {
			causes = append(causes, valid.Unsupported(matchField, strconv.Quote(o.match), exact, notOlderThan, ""))
		}
		if o.match == exact && o.version == "0" {
			causes = append(causes, valid.Forbidden(matchField, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if o.initial != nil {
		causes = append(causes, valid.Forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return causes
}

func (o *listOptions) checkWatch() []rest.StatusCause {
	var causes []rest.StatusCause
	if o.initial != nil && o.match != notOlderThan {
		causes = append(causes, valid.Forbidden(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if o.match != "" {
		if o.initial == nil {
			causes = append(causes, valid.Forbidden(matchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
		}
		if o.match != notOlderThan {
			causes = append(causes, valid.Unsupported(matchField, strconv.Quote(o.match), notOlderThan))
		}
		if o.token != "" {
			causes = append(causes, valid.Forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"))
		}
	}
	return causes
}

// page is the answer to a list.
type page struct {
	items     []*object
	version   uint64
	token     string
	remaining *int64
}

// list returns a page of objects.
func (s *Server) list(ctx context.Context, r *resource, sel *selection, o *listOptions) (*page, *rest.Status) {
	if o.token != "" {
		return s.nextPage(r, sel, o)
	}
	asked, err := parseVersion(o.version)
	if err != nil {
		return nil, badRequest("invalid resource version: %v", err)
	}
	if st := s.waitVersion(ctx, asked); st != nil {
		return nil, st
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	version, limit := s.version, o.limit
	switch {
	case o.match == exact, o.match == "" && asked > 0 && limit > 0:
		version = asked
	case o.version == "0":
		limit = 0 // the cache of the real server does not page
	}
	objects, ok := r.at(version)
	if !ok {
		return nil, expired("The resourceVersion for the provided list is too old.")
	}
	return r.page(objects, sel, "", version, limit), nil
}

// waitVersion waits until the server has reached a version, for three seconds
// as the real server does.
func (s *Server) waitVersion(ctx context.Context, asked uint64) *rest.Status {
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	for {
		s.mu.Lock()
		current, raised := s.version, s.raised
		s.mu.Unlock()
		if current >= asked {
			return nil
		}
		select {
		case <-raised:
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		return tooLarge(asked, current)
	}
}

// continueToken is what a token says, in the form of the real server.
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

// parseToken reads a token; the errors are those of the real server.
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

// inconsistent tells that a token has expired, and how to go on nevertheless.
const inconsistent = "The provided continue parameter is too old to display a consistent list result. " +
	"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder " +
	"of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
	"deleted between the time the first chunk was returned and now may show up in the list."

// nextPage goes on where a token says.
func (s *Server) nextPage(r *resource, sel *selection, o *listOptions) (*page, *rest.Status) {
	t, err := parseToken(o.token)
	if err != nil {
		return nil, badRequest("invalid continue token: %v", err)
	}
	if o.version != "" && o.version != "0" {
		return nil, badRequest("specifying resource version is not allowed when using continue")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	version := s.version
	if t.Version > 0 {
		version = uint64(t.Version)
	}
	objects, ok := r.at(version)
	if !ok {
		st := expired(inconsistent)
		st.Metadata.Continue = continueToken{Version: -1, Start: t.Start}.String()
		return nil, st
	}
	limit := o.limit
	if o.version == "0" {
		limit = 0 // as without a token
	}
	return r.page(objects, sel, t.Start, version, limit), nil
}

// page takes the objects from a start on. Keys in tokens are below the
// namespace, if the list is of one.
func (r *resource) page(objects map[string]*object, sel *selection, start string, version uint64, limit int64) *page {
	p := &page{version: version, items: []*object{}}
	start = strings.TrimPrefix(start, "/")
	last := ""
	keys := r.sortedKeys(objects, sel.namespace)
	for i, k := range keys {
		below := strings.TrimPrefix(strings.TrimPrefix(k, sel.namespace), "/")
		if below < start || !sel.matches(r, objects[k]) {
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
