package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Values are what must not be shown, whatever is around it and however it is spelled.
type Values map[string]bool

const (
	short = 3 // bytes of a value that is hidden only where it is a word of its own
	loose = 8 // bytes of a value that is found even if white space is in it
	coded = 6 // bytes of a value that is also looked for in base64 and in hexadecimal digits
)

// harmless are values that say nothing and are common in messages.
var harmless = words(`true false yes none null json yaml text info debug warn warning error auto default
	always never http https login token get-token credential credentials auth eks aws gcloud kubelogin
	oidc-login get-credentials print-access-token print-token exec-credential version config kubernetes
	kubeconfig cluster clusters generate-token iam user users exec plugin`)

// Add adds a value, and what is a secret inside of it.
func (v Values) Add(value string) {
	value = strings.TrimSpace(value)
	if len(value) < short || harmless[strings.ToLower(value)] {
		return
	}
	v[value] = true
	m := newMask(value)
	m.headers()
	m.members()
	m.addresses()
	for i := 0; i < len(value); i++ {
		start := i
		for i < len(value) && m.hidden[i] {
			i++
		}
		if i > start && i-start < len(value) {
			v[strings.TrimSpace(value[start:i])] = true
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			v[password] = true
		}
	}
	if _, rest, ok := strings.Cut(value, "="); ok { // name=value, as in --set name=value
		v.Add(strings.Trim(rest, `"'`))
	}
}

// AddArguments adds the values of a program's arguments: everything but the names of options and
// the usual commands.
func (v Values) AddArguments(args []string) {
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		switch {
		case ok && (strings.HasPrefix(a, "-") || isName(name)):
			v.Add(strings.Trim(value, `"'`))
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && len(a) > len("-p"):
			if rest := a[len("-p"):]; !isOption(rest) { // -pVALUE
				v.Add(rest)
			}
		default:
			v.Add(a)
		}
	}
}

// AddVariables adds the values of variables that are "name=value", if their names are telling.
func (v Values) AddVariables(environ []string) {
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok && tellingName(name) != plainName && len(value) >= loose {
			v.Add(value)
		}
	}
}

// AddText adds the values of telling names in a text.
func (v Values) AddText(text string) {
	m := newMask(text)
	m.members()
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && m.hidden[i] {
			i++
		}
		if i-start >= loose {
			v[text[start:i]] = true
		}
	}
}

func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// isOption reports whether s can be the rest of an option's name, as in -region.
func isOption(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// Hide returns a text without the values. Of a long text, all of it is searched for the values as
// they are, and only the beginning for other spellings.
func (v Values) Hide(text string, complete bool) string {
	const most = 16 << 10
	found := Values{}
	for value := range v {
		if len(value) <= len(text) || !complete { // no spelling is shorter
			found[value] = true
		}
	}
	if len(found) == 0 {
		return text
	}
	end := ""
	if len(text) > most {
		text, end = text[:most], text[most:]
		for value := range found {
			end = strings.ReplaceAll(end, value, Mark)
		}
	}
	shown := found.hide(strings.ReplaceAll(text, place, ""), complete && end == "")
	if !strings.Contains(shown, place) {
		return text + end
	}
	return strings.ReplaceAll(shown, place, Mark) + end
}

// hide hides the values in a text. If the end of the text is missing, so is what may be the
// beginning of a value there.
func (v Values) hide(text string, complete bool) string {
	if len(v) == 0 || text == "" {
		return text
	}
	m := newMask(text)
	for i, decode := range decoders {
		if i > 0 && !strings.ContainsAny(text, spelled[i]) {
			continue // it would be seen as it is
		}
		for _, tight := range []bool{false, true} {
			seen := viewOf(text, decode, tight)
			for value := range v {
				m.hideValue(seen, value, tight, complete)
			}
		}
	}
	return m.with(place)
}

// hideValue hides one value.
func (m *mask) hideValue(seen *view, value string, tight, complete bool) {
	want := viewOf(value, decoders[0], tight).text
	switch {
	case utf8.RuneCount(want) < short, tight && len(want) < loose && !strings.ContainsFunc(value, unicode.IsSpace):
		return
	case utf8.RuneCount(want) == short:
		seen.find(want, func(start, end int) {
			if !inWord(m.text[:start], m.text[end:]) {
				m.hide(start, end)
			}
		})
		return
	}
	seen.find(want, m.hide)
	if !complete {
		for n := min(len(want), len(seen.text)); n > 0; n-- {
			if bytes.HasSuffix(seen.text, want[:n]) {
				m.hide(seen.start[len(seen.text)-n], len(m.text))
				break
			}
		}
	}
	if len(value) >= coded {
		for _, c := range encoded(value) {
			seen.find([]byte(c), m.hide)
		}
	}
}

// inWord reports whether a word goes on before or after a place.
func inWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return part(last) || part(first)
}

// encoded returns what every base64 and every row of hexadecimal digits holds that has the value in
// it.
func encoded(value string) []string {
	const group = 3 // bytes that base64 writes as four characters
	raw := []byte(value)
	codes := make([]string, 0, 2+2*group)
	codes = append(codes, hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)))
	for shift := range group {
		for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			code := e.EncodeToString(append(make([]byte, shift), raw...))
			// The characters that depend on the neighbours are left out.
			from, to := []int{0, 2, 3}[shift], len(code)
			if (shift+len(raw))%group != 0 {
				to--
			}
			codes = append(codes, code[from:to])
		}
	}
	return codes
}
