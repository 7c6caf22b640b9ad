package rest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

// ErrAnswer means that an answer, or an item of a list or a watch, is not what was asked for: no
// JSON, no object, an object of another kind, name or namespace, an object in place of a list. It
// comes from a proxy, a login page or a broken server; trying again rarely helps.
var ErrAnswer = errors.New("not what was asked for")

// answerError is the error of such an answer.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// Is matches ErrAnswer.
func (e *answerError) Is(target error) bool { return target == ErrAnswer }

// notAsked makes an error that matches ErrAnswer.
func notAsked(format string, args ...any) error {
	return &answerError{fmt.Sprintf(format, args...)}
}

// asked is what an answer has to be. Every verb, list and watch holds what comes against it.
//
// What an answer does not say is let through where servers leave it out: kind and apiVersion if
// there is metadata (in lists always), and the namespace.
type asked struct {
	kind      *Kind  // nil: any object
	partial   bool   // only metadata was asked for
	name      string // "" for any
	namespace string // "" for any
	scoped    bool   // the kind has no namespaces
	endpoint  *Endpoint
}

// metaGroup is the group of the types that stand for objects of any kind.
const metaGroup = "meta.k8s.io"

// asks returns what the answer to a request for the object called name has to be.
func (e *Endpoint) asks(name string) *asked {
	return &asked{
		kind: e.types(), partial: e.partial, name: name, namespace: e.namespace,
		scoped: !e.kind.Namespaced, endpoint: e,
	}
}

// nameless reports whether servers leave the name out of an answer.
func (e *Endpoint) nameless() bool {
	return e.subresource != "" && e.body != e.kind || e.isReview()
}

// isReview reports whether objects of the kind can only be created, as questions: they are not
// stored, and need no name.
func (e *Endpoint) isReview() bool {
	s := e.client.served(e.kind)
	return s != nil && len(s.Verbs) == 1 && s.Verbs[0] == "create"
}

// object refuses the JSON of an answer that is not the object that was asked for.
func (a *asked) object(raw []byte) error {
	is, err := wire.ReadIdentity(raw)
	switch {
	case errors.Is(err, wire.ErrNotObject):
		return notAsked("%s, not an object", nameOfJSON(raw))
	case err != nil:
		return &answerError{err.Error()}
	case a.kind == nil:
		if is == (wire.Identity{}) && isEmptyObject(raw) {
			return notAsked("an empty object")
		}
		return nil
	}
	if err := a.identity(&is); err != nil {
		return err
	}
	switch {
	case a.name != "" && is.Name == "" && !a.endpoint.nameless():
		return notAsked("an object without a name, not %q", a.name)
	case is.Kind == "" && !hasMetadata(raw):
		return notAsked("an object without kind and metadata")
	}
	return nil
}

// maxName is the longest name, namespace or uid of an object of a watch or of its list, in bytes,
// since the watch keeps them. Those of API servers have 253 at most, but for names of roles.
const maxName = 4096

// named refuses what identity does, and an object that a watch cannot tell from others.
func (a *asked) named(is *wire.Identity) error {
	if err := a.identity(is); err != nil {
		return err
	}
	switch {
	case is.Name == "":
		return notAsked("an object without a name")
	case len(is.Name) > maxName, len(is.Namespace) > maxName, len(is.UID) > maxName:
		return notAsked("an object whose name, namespace or uid is longer than %d bytes", maxName)
	}
	return nil
}

// bounded returns a part of an identity, the beginning of one that is too long.
func bounded(s string) string {
	if len(s) > maxName {
		s = shorten(s)
	}
	return s
}

// identity refuses an object that says of itself that it is another one.
func (a *asked) identity(is *wire.Identity) error {
	if err := a.types(is.Kind, is.APIVersion); err != nil {
		return err
	}
	switch {
	case a.name != "" && is.Name != "" && is.Name != a.name:
		return notAsked("%q, not %q", shorten(is.Name), a.name)
	case a.namespace != "" && is.Namespace != "" && is.Namespace != a.namespace:
		return notAsked("an object in namespace %q, not in %q", shorten(is.Namespace), a.namespace)
	case a.scoped && is.Namespace != "":
		return notAsked("an object in namespace %q, but the kind is cluster-scoped", shorten(is.Namespace))
	}
	return nil
}

// types refuses an object of another kind or group. The version is the one in the path, whatever
// the object says.
func (a *asked) types(kind, apiVersion string) error {
	if a.kind == nil {
		return nil
	}
	want := a.kind
	if a.partial && kind == partialKind {
		want = &Kind{Group: metaGroup, Version: "v1", Kind: partialKind}
	}
	if kind != "" && kind != want.Kind || apiVersion != "" && groupOf(apiVersion) != want.Group {
		return notAsked("a %s, not a %s", typeName(kind, apiVersion), a.kind)
	}
	return nil
}

// list refuses the kind of a list. That of a custom kind may have any name, so its items decide.
func (a *asked) list(kind, apiVersion string) error {
	group := groupOf(apiVersion)
	switch {
	case a == nil || a.kind == nil, kind == "" && apiVersion == "", kind == "Status":
		return nil // the end of the list says what came in place of one
	case kind == "List" && group == "", a.partial && kind == partialKind+"List" && group == metaGroup:
		return nil
	case kind == a.kind.Kind || apiVersion != "" && group != a.kind.Group:
	case kind == "", kind == a.kind.Kind+"List", a.kind.isCustom():
		return nil
	}
	return notAsked("not a list of %s, but a %s", a.kind, typeName(kind, apiVersion))
}

// notStatus is the error of an answer that is not a Status.
func (a *answer) notStatus() error {
	if is, err := wire.ReadIdentity(a.body); err == nil && is.Kind != "" {
		return notAsked("a %s, not a Status", typeName(is.Kind, is.APIVersion))
	}
	return notAsked("%s, not a Status", nameOfJSON(a.body))
}

// typeName returns a kind as errors show it: "v1/Service".
func typeName(kind, apiVersion string) string {
	switch {
	case kind == "":
		return "object of " + shorten(apiVersion)
	case apiVersion == "":
		return shorten(kind)
	}
	return shorten(apiVersion) + "/" + shorten(kind)
}

// groupOf returns the group of an apiVersion.
func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// hasMetadata reports whether a JSON object has a member metadata that is an object.
func hasMetadata(raw []byte) bool {
	b, err := inspect(raw)
	return err != nil || b.metadata != nil // what is broken is told by the decoder
}

func isEmptyObject(raw []byte) bool {
	c := wire.Cursor{Text: raw}
	return c.Take('{') && c.Take('}')
}

// nameOfJSON says what a JSON text is.
func nameOfJSON(raw []byte) string {
	switch c := (wire.Cursor{Text: raw}); c.Peek() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return "a bool"
	}
	return "a number"
}

// kindOfToken says what a JSON text that begins with the token is.
func kindOfToken(k jsontext.Kind) string { return nameOfJSON([]byte{byte(k)}) }

// maxWord bounds a word of the server in an error, in bytes.
const maxWord = 64

// shorten returns a word that fits into an error.
func shorten(s string) string {
	if len(s) > maxWord {
		s = strings.ToValidUTF8(s[:maxWord], "") + "..."
	}
	return plain(s)
}
