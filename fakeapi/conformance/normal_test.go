package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// normaliser replaces what two servers cannot have in common by placeholders that preserve
// equality.
//
// Versions and uids of objects are numbered in order of appearance. The version of a list may be
// higher than that of any object, since other writes count too; we only check that it is not lower.
// The same goes for bookmarks, but the watch checks those.
type normaliser struct {
	ns       string
	uids     map[string]string
	versions map[string]string
	highest  int64
}

var (
	timePattern       = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
	uuidPattern       = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	suffixPattern     = regexp.MustCompile(`^[bcdfghjklmnpqrstvwxz2456789]{5}$`)
	continuePattern   = regexp.MustCompile(`\bcontinue=[A-Za-z0-9_-]{20,}`)
	versionPattern    = regexp.MustCompile(`\bresourceVersion=\d+`)
	currentPattern    = regexp.MustCompile(`current: (?:<version \d+>|\d+)|resource version: (?:<version \d+>|\d+) \(\d+\)`)
	generatedPattern  = regexp.MustCompile(`\bGen_[a-z0-9]{5}\b`) // requested by a row, to be refused
	credentialPattern = regexp.MustCompile(`^JTI=[0-9a-f-]{36}$`)
	tokenPattern      = regexp.MustCompile(`^eyJ[\w.-]+$`)
	managedPattern    = regexp.MustCompile(`,?"managedFields":\[.*?"fieldsV1":.*?\}\]`) // fakeapi has none
	momentPattern     = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	digitsPattern     = regexp.MustCompile(`^\d+$`)
	numberPattern     = regexp.MustCompile(`\b\d+\b`)
)

// normalise returns a transcript that can be compared, and leaves the original unchanged.
func normalise(log []exchange, ns string) []exchange {
	n := &normaliser{ns: ns, uids: map[string]string{}, versions: map[string]string{}}
	out := make([]exchange, len(log))
	for i, e := range log {
		e.Request = n.request(e.Request)
		e.Body = n.value(e.Body, "", "")
		out[i] = e
	}
	return out
}

// request replaces versions and continue tokens in the description of a request.
func (n *normaliser) request(v string) string {
	v = continuePattern.ReplaceAllString(v, "continue=<continue>")
	return versionPattern.ReplaceAllStringFunc(v, func(found string) string {
		_, number, _ := strings.Cut(found, "=")
		if len(number) == 1 || len(number) > len("999999999") { // made up by the script
			return found
		}
		return "resourceVersion=<version>"
	})
}

// value normalises the value of key in an object of a kind.
func (n *normaliser) value(v any, key, kind string) any {
	switch v := v.(type) {
	case map[string]any:
		return n.object(v, key, kind)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = n.value(item, key, kind)
		}
		return out
	case string:
		return n.text(v, key)
	}
	return v
}

func (n *normaliser) object(m map[string]any, key, kind string) map[string]any {
	if k, ok := m["kind"].(string); ok {
		kind = k
	}
	out := make(map[string]any, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch {
		case k == "managedFields" && key == "metadata":
		case k == "name" && key == "metadata" && m["generateName"] != nil:
			out[k] = n.generated(m[k], m["generateName"])
		case k == "resourceVersion" && key == "metadata" && strings.HasSuffix(kind, "List"):
			out[k] = n.collectionVersion(m[k])
		case k == "object" && m["type"] == "BOOKMARK":
			out[k] = n.bookmark(m[k])
		case k == "items":
			out[k] = n.value(m[k], k, "") // items have no kind, not even the list's
		default:
			out[k] = n.value(m[k], k, kind)
		}
	}
	return out
}

// bookmark normalises the object of a bookmark, which has the kind of the watched objects.
func (n *normaliser) bookmark(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := maps.Clone(m)
	if meta, ok := m["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		if rv, ok := meta["resourceVersion"].(string); ok && digitsPattern.MatchString(rv) {
			meta["resourceVersion"] = "<version>"
		}
		out["metadata"] = meta
	}
	return out
}

func (n *normaliser) generated(name, prefix any) string {
	suffix, ok := strings.CutPrefix(fmt.Sprint(name), fmt.Sprint(prefix))
	if !ok || !suffixPattern.MatchString(suffix) {
		return fmt.Sprintf("<not generated: %v>", name)
	}
	return fmt.Sprint(prefix) + "<generated>"
}

func (n *normaliser) collectionVersion(v any) any {
	text, ok := v.(string)
	if !ok || text == "" {
		return v
	}
	rv, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return "<not a number: " + text + ">"
	case rv < n.highest:
		return "<version older than an object's>"
	}
	return "<version>"
}

func (n *normaliser) text(v, key string) any {
	switch key {
	case "uid":
		return n.uid(v)
	case "resourceVersion":
		return n.version(v)
	case "serverAddress":
		return "<address>"
	case "continue":
		if v == "" {
			return v
		}
		return "<continue>"
	case "message":
		return n.message(v)
	case "token":
		return tokenPattern.ReplaceAllString(v, "<token>")
	}
	v = credentialPattern.ReplaceAllString(v, "JTI=<uid>")
	if timePattern.MatchString(v) {
		return "<time>"
	}
	v = generatedPattern.ReplaceAllString(v, "Gen_<generated>")
	return strings.ReplaceAll(v, n.ns, "$ns")
}

func (n *normaliser) uid(v string) string {
	if !uuidPattern.MatchString(v) {
		return v
	}
	if n.uids[v] == "" {
		n.uids[v] = fmt.Sprintf("<uid %d>", len(n.uids)+1)
	}
	return n.uids[v]
}

func (n *normaliser) version(v string) string {
	rv, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return v
	}
	n.highest = max(n.highest, rv)
	if n.versions[v] == "" {
		n.versions[v] = fmt.Sprintf("<version %d>", len(n.versions)+1)
	}
	return n.versions[v]
}

// message replaces uids and versions that occurred before, in a text for people.
func (n *normaliser) message(v string) string {
	v = strings.ReplaceAll(v, n.ns, "$ns")
	if strings.Contains(v, "patch: Invalid value:") || strings.Contains(v, "apiVersion") { // it shows an object
		v = managedPattern.ReplaceAllString(strings.ReplaceAll(v, `\"`, `"`), "")
		v = momentPattern.ReplaceAllString(v, "<time>")
	}
	for _, uid := range slices.Sorted(maps.Keys(n.uids)) {
		v = strings.ReplaceAll(v, uid, n.uids[uid])
	}
	v = numberPattern.ReplaceAllStringFunc(v, func(number string) string {
		if known := n.versions[number]; known != "" {
			return known
		}
		return number
	})
	v = generatedPattern.ReplaceAllString(v, "Gen_<generated>")
	v = currentPattern.ReplaceAllStringFunc(v, func(found string) string {
		if strings.HasPrefix(found, "current") {
			return "current: <version>"
		}
		return found[:strings.LastIndexByte(found, '(')] + "(<version>)"
	})
	return strings.ReplaceAll(v, n.ns, "$ns")
}

// flatten lists the values of a document by path, such as body.items[0].metadata.name.
func flatten(path string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			into[path] = "{}"
		}
		for k, child := range v {
			flatten(path+"."+k, child, into)
		}
	case []any:
		if len(v) == 0 {
			into[path] = "[]"
		}
		for i, child := range v {
			flatten(fmt.Sprintf("%s[%d]", path, i), child, into)
		}
	default:
		text, err := json.Marshal(v)
		if err != nil {
			text = []byte(err.Error())
		}
		into[path] = string(text)
	}
}
