package fakeapi

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// How a list is to match its resource version.
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

// listOptionsOf reads the parameters of a list or a watch, and refuses contradictions.
func listOptionsOf(q url.Values) (listOptions, *rest.Status) {
	o := listOptions{
		watch: boolOf(q, "watch"), version: q.Get("resourceVersion"), match: q.Get("resourceVersionMatch"),
		token: q.Get("continue"), bookmarks: boolOf(q, "allowWatchBookmarks"),
	}
	for name, set := range map[string]func(int64){
		"limit":          func(n int64) { o.limit = n },
		"timeoutSeconds": func(n int64) { o.timeout = time.Duration(n) * time.Second },
	} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 64)
		if err != nil {
			return o, badRequest("%s", err.Error())
		}
		set(n)
	}
	if q.Has("sendInitialEvents") {
		v := boolOf(q, "sendInitialEvents")
		o.initial = &v
	}
	// kube-apiserver does this since 1.34, before it checks the options.
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

// boolOf reads a parameter as kube-apiserver does: it is true if it is there and not plainly false.
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
