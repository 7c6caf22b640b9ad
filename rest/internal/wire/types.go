package wire

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Complete returns the JSON of an object with kind and apiVersion filled in where they are missing
// or empty. It returns raw itself if nothing is missing.
func Complete(raw []byte, is *Identity, kind, apiVersion string) []byte {
	var edits []edit
	for _, e := range []edit{{is.APIVersionAt, "apiVersion", apiVersion}, {is.KindAt, "kind", kind}} {
		if IsEmpty(e.at.Of(raw)) {
			edits = append(edits, e)
		}
	}
	if len(edits) == 0 {
		return raw
	}
	return set(raw, edits)
}

// SetTypes returns the JSON of an object with this kind and apiVersion, whatever it had before.
func SetTypes(raw []byte, is *Identity, kind, apiVersion string) []byte {
	return set(raw, []edit{{is.APIVersionAt, "apiVersion", apiVersion}, {is.KindAt, "kind", kind}})
}

// IsEmpty reports whether a value is missing, null or "".
func IsEmpty(value []byte) bool {
	v := string(bytes.TrimSpace(value))
	return v == "" || v == "null" || v == `""`
}

// edit is a member to be set: the place of its value, if it has one, and the new value.
type edit struct {
	at         Span
	name, text string
}

// set replaces existing values and puts the other members in front.
func set(raw []byte, edits []edit) []byte {
	out := make([]byte, 0, len(raw)+64)
	from := bytes.IndexByte(raw, '{') + 1
	out = append(out, '{')
	var inside []edit
	for _, e := range edits {
		quoted, _ := jsontext.AppendQuote(nil, e.text) // the names of kinds are UTF-8
		if e.text = string(quoted); e.at != (Span{}) {
			inside = append(inside, e)
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `"`+e.name+`":`+e.text...)
	}
	if len(out) > 1 && raw[space(raw, from)] != '}' {
		out = append(out, ',')
	}
	if len(inside) == 2 && inside[0].at.Start > inside[1].at.Start {
		inside[0], inside[1] = inside[1], inside[0]
	}
	for _, e := range inside {
		out = append(out, raw[from:e.at.Start]...)
		out = append(out, e.text...)
		from = e.at.End
	}
	return append(out, raw[from:]...)
}
