package fakeapi

import (
	"bytes"
	"cmp"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tideway-go/tideway/fakeapi/internal/valid"
	"github.com/tideway-go/tideway/rest"
)

// typeMeta is what kube-apiserver reads of an object first. Some messages show its Go type.
type typeMeta = struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

// readObject decodes the object that a request carries, of the given kind: that of the resource, or
// of a subresource. It warns about unknown and duplicate members, or refuses them, as the options
// say.
func (r *request) readObject(kind *resource, o writeOptions) (rest.Object, *rest.Status) {
	ct := r.header.Get("Content-Type")
	if t, _, err := mime.ParseMediaType(ct); ct != "" && (err != nil || t != jsonContent) {
		return nil, unknownFormat(t)
	}
	if st := r.body.problem(); st != nil {
		return nil, st
	}
	raw := r.body.raw
	twice := hasDuplicates(raw)
	content, err := kind.decode(raw, twice)
	if err != nil || twice || !kind.isPlain(content) {
		if st := kind.unreadable(raw, err); st != nil {
			return nil, st
		}
	} else if st := kind.checkType(typeMeta{content.APIVersion(), content.Kind()}, content, raw); st != nil {
		return nil, st
	}
	if st := kind.checkStrict(o); st != nil {
		return nil, st
	}
	unknown := kind.tidy(content)
	defer r.warnOwners(content, "")
	if len(unknown) == 0 && !twice {
		return content, nil
	}
	return content, r.report(strictProblems(raw, unknown), o, func(all string) *rest.Status {
		return badRequest("%s in version %q cannot be handled as a %s: %s", kind.kind.Kind, kind.kind.Version, kind.kind.Kind, all)
	})
}

// checkStrict refuses a strict validation of a kind whose types are not known.
func (r *resource) checkStrict(o writeOptions) *rest.Status {
	if o.validation != "Strict" || r.typesKnown() {
		return nil
	}
	return notImplemented("fieldValidation=Strict for " + r.kind.Resource() + ", the types of whose fields are not known: ask for Warn or Ignore")
}

// decodeObject decodes an object. Null is an error.
func decodeObject(raw []byte) (rest.Object, error) {
	o, err := rest.Decode[rest.Object](raw)
	switch {
	case err != nil:
		return nil, err
	case *o == nil:
		return nil, errNull
	}
	return *o, nil
}

// decode decodes an object of a kind. twice says that some member comes twice.
func (r *resource) decode(raw []byte, twice bool) (rest.Object, error) {
	content, err := decodeObject(raw)
	switch {
	case r.custom:
	case errors.Is(err, errNull):
		return rest.Object{}, nil // as if it were empty
	case err == nil && twice:
		return mergeDuplicates(raw), nil
	}
	return content, err
}

// hasDuplicates reports whether a text that can be decoded has an object with two members of one
// name.
func hasDuplicates(raw []byte) bool {
	return !jsontext.Value(raw).IsValid(jsontext.AllowInvalidUTF8(true))
}

// unreadable goes over an object step by step, as kube-apiserver does, and refuses it in its words
// if a step fails. err is the error of decoding it as a whole.
func (r *resource) unreadable(raw []byte, err error) *rest.Status {
	var t typeMeta
	if err := stdjson.Unmarshal(raw, &t); err != nil {
		return badRequest("the object provided is unrecognized (must be of type %s): couldn't get version/kind; json parse error: %v (%s)",
			r.kind.Kind, err, excerpt(raw))
	}
	content, _ := decodeObject(raw)
	if st := r.checkType(t, content, raw); st != nil {
		return st
	}
	if err != nil {
		return badRequest("the object provided is unrecognized (must be of type %s): %v (%s)", r.kind.Kind, err, excerpt(raw))
	}
	if err := r.typeError(raw); err != nil {
		return badRequest("%s in version %q cannot be handled as a %s: %s", r.kind.Kind, r.kind.Version, r.kind.Kind, r.typeProblem(err))
	}
	return nil
}

// isOtherFormat reports whether kube-apiserver knows a format that this server does not.
func isOtherFormat(mediaType string) bool {
	return mediaType == "application/yaml" || strings.HasPrefix(mediaType, "application/vnd.kubernetes.protobuf")
}

// unknownFormat refuses a content type.
func unknownFormat(ct string) *rest.Status {
	if isOtherFormat(ct) {
		return notImplemented("bodies of " + ct)
	}
	return failure(http.StatusUnsupportedMediaType, rest.ReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf", nil)
}

// checkType refuses an object of another type than the resource's.
func (r *resource) checkType(t typeMeta, content rest.Object, raw []byte) *rest.Status {
	version := r.kind.APIVersion()
	switch {
	case !r.custom:
		return r.checkBuiltIn(t, raw)
	case t.Kind == "":
		return badRequest("the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in '%s' (%s)", r.kind.Kind, raw, excerpt(raw))
	case t.APIVersion != version:
		return badRequest("the API version in the data (%s) does not match the expected API version (%s)", t.APIVersion, version)
	case t.Kind != r.kind.Kind:
		return r.otherKind(t, content.Name())
	}
	return nil
}

// checkBuiltIn is checkType for a built-in kind, whose type a body may leave out.
func (r *resource) checkBuiltIn(t typeMeta, raw []byte) *rest.Status {
	t.APIVersion = cmp.Or(strings.TrimPrefix(t.APIVersion, "/"), r.kind.APIVersion()) // the group may be empty
	t.Kind = cmp.Or(t.Kind, r.kind.Kind)
	switch {
	case t.APIVersion == r.kind.APIVersion() && t.Kind == r.kind.Kind:
		return nil
	case r.kind == evictionKind && t.Kind == r.kind.Kind && t.APIVersion == "policy/v1beta1": // its older version is still read
		return nil
	case strings.Count(t.APIVersion, "/") > 1:
		return badRequest("the object provided is unrecognized (must be of type %s): unexpected GroupVersion string: %s (%s)", r.kind.Kind, t.APIVersion, excerpt(raw))
	case strings.HasSuffix(t.APIVersion, "/"):
		return badRequest("%s in version \"\" cannot be handled as a %s: Object 'apiVersion' is missing in '%s'", t.Kind, r.kind.Kind, raw)
	}
	return badRequest("%s in version %q cannot be handled as a %s: %s", t.Kind, lastPart(t.APIVersion), r.kind.Kind, r.otherType(t))
}

// otherKind refuses an object of another kind than that of a custom resource.
func (r *resource) otherKind(t typeMeta, name string) *rest.Status {
	return invalid(t.Kind+"."+r.kind.Group, &rest.StatusDetails{Name: name, Group: r.kind.Group, Kind: t.Kind},
		[]rest.StatusCause{valid.Invalid("kind", strconv.Quote(t.Kind), "must be "+r.kind.Kind)})
}

// unversioned are the kinds that are of v1 whatever version a body gives them.
var unversioned = []string{"Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"}

// inEveryGroup are kinds that v1 has like other versions, and that are not objects either.
var inEveryGroup = []string{"WatchEvent", "ListOptions", "GetOptions", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "List"}

// otherType says why an object of another built-in type, or of an unknown one, cannot be stored.
func (r *resource) otherType(t typeMeta) string {
	if slices.Contains(unversioned, t.Kind) || t.APIVersion == "v1" && slices.Contains(inEveryGroup, t.Kind) {
		return fmt.Sprintf("converting (v1.%s) to (%s.%s): unknown conversion", t.Kind, r.internalPackage(), r.kind.Kind)
	}
	if _, err := rest.Lookup(t.APIVersion + "/" + strings.TrimSuffix(t.Kind, "List")); err != nil {
		return fmt.Sprintf(`no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`, t.Kind, t.APIVersion)
	}
	return fmt.Sprintf("converting (%s.%s) to (%s.%s): unknown conversion", lastPart(t.APIVersion), t.Kind, r.internalPackage(), r.kind.Kind)
}

// errNull is the error of a null where an object has to be.
var errNull = errors.New("the value is null")

func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// excerpt is the beginning of a body, as messages show it.
func excerpt(raw []byte) string {
	const most = 30
	switch {
	case len(raw) == 0:
		return "<empty>"
	case !bytes.ContainsAny(raw[:1], "{"):
		if len(raw) > most {
			return hex.EncodeToString(raw[:most]) + " ..."
		}
		return hex.EncodeToString(raw)
	case len(raw) > most:
		return string(raw[:most]) + " ..."
	}
	return string(raw)
}

// report warns about what a strict decoder does not like, refuses it, or ignores it: as the client
// has asked.
func (r *request) report(problems []string, o writeOptions, refuse func(all string) *rest.Status) *rest.Status {
	switch {
	case len(problems) == 0 || o.validation == "Ignore":
	case o.validation == "Strict":
		return refuse("strict decoding error: " + strings.Join(problems, ", "))
	default:
		r.warnings = append(r.warnings, problems...)
	}
	return nil
}
