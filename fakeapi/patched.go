package fakeapi

import (
	"cmp"
	stdjson "encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tideway-go/tideway/fakeapi/internal/patch"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// patching is one patch of a resource.
type patching struct {
	*request
	res     *resource // of what is patched: that of the request, or of a subresource
	options writeOptions
	raw     []byte
	twice   bool // a member comes twice
}

// patched is what a patch makes of an object.
type patched struct {
	content  rest.Object
	shown    func() string // as messages show it, while nothing else has changed it
	problems []string      // what a strict decoder does not like about the patch itself
}

// newPatching reads the patch that a request carries. What is wrong with more than its syntax is
// only found once there is an object to patch.
func newPatching(r *request, res *resource, o writeOptions) (patching, *rest.Status) {
	p := patching{request: r, res: res, options: o, raw: r.body.raw}
	if st := r.body.problem(); st != nil {
		return p, st
	}
	if st := res.checkStrict(o); st != nil {
		return p, st
	}
	p.twice = hasDuplicates(p.raw)
	if p.twice && !jsontext.Value(p.raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return p, badRequest("invalid JSON patch")
	}
	return p, nil
}

// apply applies the patch to a copy of an object.
func (p patching) apply(current rest.Object) (rest.Object, *rest.Status) {
	current["kind"], current["apiVersion"] = p.res.kind.Kind, p.res.kind.APIVersion()
	out, st := p.applyTo(current)
	if st != nil {
		return nil, st
	}
	if p.options.validation == "Strict" {
		text := out.shown()
		out.shown = func() string { return text }
	}
	refuse := func(all string) *rest.Status { return brokenPatch(out.shown(), all) }
	if err := untyped(out.content); err != nil && !p.res.custom {
		return nil, brokenPatch(out.shown(), "couldn't get version/kind; json parse error: "+err.Error())
	}
	if !p.res.custom && out.content.APIVersion() == "" { // then kube-apiserver knows no type at all
		for _, k := range value.Names(out.content) {
			if k != "kind" {
				out.problems = append(out.problems, `unknown field "`+k+`"`)
			}
		}
		if st := p.report(out.problems, p.options, refuse); st != nil {
			return nil, st
		}
		return nil, nameless(p.name)
	}
	if st := p.check(&out); st != nil {
		return nil, st
	}
	out.problems = append(out.problems, unknownFields(p.res.tidy(out.content))...)
	defer p.warnOwners(out.content, " after mutating admission happens")
	return out.content, p.report(out.problems, p.options, refuse)
}

// unknownFields is what a strict decoder says about unknown members of an object, in the order of
// its sorted text. They are members of the object or of its metadata.
func unknownFields(unknown []string) []string {
	top := func(path string) string {
		if strings.HasPrefix(path, "metadata.") {
			return "metadata"
		}
		return path
	}
	slices.SortStableFunc(unknown, func(a, b string) int { return cmp.Compare(top(a), top(b)) })
	problems := make([]string, len(unknown))
	for i, path := range unknown {
		problems[i] = `unknown field "` + path + `"`
	}
	return problems
}

// applyTo applies a patch of any type to an object, which it changes.
func (p patching) applyTo(current rest.Object) (out patched, st *rest.Status) {
	switch p.patchType() {
	case mergeType:
		m, st := readMergePatch(p.raw)
		if st != nil {
			return out, st
		}
		content := rest.Object(patch.Merge(current, m))
		_, sorted := m["metadata"]
		return patched{content, p.res.shown(content, sorted), p.duplicates(nil)}, nil
	case jsonType:
		return p.applyOperations(current)
	}
	m, st := readStrategicPatch(p.raw)
	if st != nil {
		return out, st
	}
	content, err := patch.Strategic(current, m, patch.SchemaOf(p.res.kind.String()))
	if err != nil {
		return out, strategicProblem(err)
	}
	if err := untyped(content); err != nil {
		return out, brokenPatch(fmt.Sprint(m), conversionProblem(err, value.Encode(content)))
	}
	// kube-apiserver takes the type from where the object is.
	content["kind"], content["apiVersion"] = p.res.kind.Kind, p.res.kind.APIVersion()
	return patched{content, func() string { return fmt.Sprint(m) }, p.duplicates(nil)}, nil
}

// untyped returns the error of reading the type of an object whose kind or version is not a text.
func untyped(content rest.Object) error {
	for _, name := range []string{"kind", "apiVersion"} {
		if v := content[name]; v != nil && !isText(v) {
			return stdjson.Unmarshal(value.Encode(content), &typeMeta{})
		}
	}
	return nil
}

// applyOperations applies a JSON patch, as applyTo does.
func (p patching) applyOperations(current rest.Object) (out patched, st *rest.Status) {
	ops, st := readJSONPatch(p.raw, p.twice, p.options.validation)
	if st != nil {
		return out, st
	}
	doc, err := patch.Operations(map[string]any(current), ops)
	if err != nil {
		return out, unfit()
	}
	m, ok := doc.(map[string]any)
	if !ok {
		text := value.Encode(doc)
		return out, brokenPatch(string(text), "couldn't get version/kind; json parse error: "+stdjson.Unmarshal(text, &typeMeta{}).Error())
	}
	problems := p.duplicates(patch.UnknownMembers(ops))
	for i := range problems {
		problems[i] = "json patch " + problems[i]
	}
	return patched{m, p.res.shown(m, false), problems}, nil
}

// duplicates returns the members of the patch that come twice or are unknown.
func (p patching) duplicates(unknown []string) []string {
	if !p.twice && len(unknown) == 0 {
		return nil
	}
	return strictProblems(p.raw, unknown)
}

// check refuses a patch that turns an object into another one.
func (p patching) check(out *patched) *rest.Status {
	r, content := p.res, out.content
	t := typeMeta{APIVersion: content.APIVersion(), Kind: content.Kind()}
	if !r.custom {
		t.Kind = cmp.Or(t.Kind, r.kind.Kind) // if it is missing, it is the resource's
	}
	same := t.APIVersion == r.kind.APIVersion() && t.Kind == r.kind.Kind
	switch {
	case same:
	case !r.custom:
		return brokenPatch(out.shown(), r.otherType(t))
	case t.Kind == "":
		shown := out.shown()
		return brokenPatch(shown, "Object 'Kind' is missing in '"+shown+"'")
	case t.Kind != r.kind.Kind:
		return r.otherKind(t, content.Name())
	default:
		group, _, _ := strings.Cut(t.APIVersion, "/")
		return invalid(t.Kind+"."+group, &rest.StatusDetails{Name: p.name, Group: group, Kind: t.Kind},
			[]rest.StatusCause{valid.Invalid("apiVersion", string(value.Encode(t.APIVersion)), "must be "+r.kind.APIVersion())})
	}
	if !r.isPlain(content) {
		raw := value.Encode(content)
		if err := r.typeError(raw); err != nil {
			problem := r.typeProblem(err)
			if p.patchType() == strategicType {
				problem = conversionProblem(err, raw)
			}
			return brokenPatch(out.shown(), problem)
		}
	}
	if st := checkURLName(content, p.name); st != nil {
		return st
	}
	return placeInNamespace(content, p.namespace)
}

// checkURLName refuses an object that is not the one of the path.
func checkURLName(content rest.Object, name string) *rest.Status {
	switch own := content.Name(); own {
	case name:
		return nil
	case "":
		return nameless(name)
	default:
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", own, name)
	}
}

// nameless refuses an object without a name.
func nameless(name string) *rest.Status {
	return badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", name)
}

// brokenPatch refuses a patch whose result is not an object of the type.
func brokenPatch(result, problem string) *rest.Status {
	cause := valid.Invalid("patch", strconv.Quote(result), problem)
	return invalid("", &rest.StatusDetails{}, []rest.StatusCause{cause})
}

// shown returns a function that encodes the result of a patch as messages show it: metadata that
// the patch changes is sorted.
func (r *resource) shown(content rest.Object, sorted bool) func() string {
	return func() string {
		if r.custom {
			return string(value.Encode(content))
		}
		out := []byte{'{'}
		for i, k := range value.Names(content) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(out, value.Encode(k)...), ':')
			if m := content.Map(k); k == "metadata" && m != nil && !sorted {
				out = value.AppendObject(append(out, '{'), m, metadataOrder)
			} else {
				out = append(out, value.Encode(content[k])...)
			}
		}
		return string(append(out, '}'))
	}
}

// unknownPatch refuses the content type of a patch. kube-apiserver has other words for built-in
// kinds than for custom ones.
func (r *resource) unknownPatch(ct string) *rest.Status {
	types := []string{jsonType, mergeType, strategicType, applyType}
	if r.custom {
		types = []string{jsonType, mergeType, applyType}
	}
	routed := func(part string) bool { return slices.Contains(types, strings.TrimSpace(part)) }
	if r.custom || slices.ContainsFunc(strings.Split(ct, ","), routed) {
		return failure(http.StatusUnsupportedMediaType, rest.ReasonUnsupportedMediaType,
			"the body of the request was in an unknown format - accepted media types include: "+strings.Join(types, ", "), nil)
	}
	return failure(http.StatusUnsupportedMediaType, rest.ReasonUnsupportedMediaType, "415: Unsupported Media Type", &rest.StatusDetails{})
}

// merging applies a merge patch.
func merging(p map[string]any) transform {
	return func(current rest.Object) (rest.Object, *rest.Status) { return patch.Merge(current, p), nil }
}
