package redact

import (
	"regexp"
	"strings"
)

// named matches a name with what separates it from its value: "name": "value", name=value, name:
// value, --name value.
var named = regexp.MustCompile(`(?:\\?["'])?([\w$][\w.$\[\]-]*|--?[\w][\w.-]*)(?:\\?["'])?([ \t]*(?::=|=>|=|:)[ \t]*(?:[|>]?[ \t]*\n[ \t]*)?|[ \t]+(?:(?:is|was)[ \t]+)?)`)

// members hides the values of telling names.
func (m *mask) members() {
	for at := 0; at < len(m.text); {
		f := named.FindStringSubmatchIndex(m.text[at:])
		if f == nil {
			return
		}
		start, end := at+f[2], at+f[1]
		name, sep := m.text[start:at+f[3]], m.text[at+f[4]:end]
		at = end
		if strings.TrimSpace(sep) == "" && !strings.HasPrefix(name, "-") {
			continue
		}
		at = max(end, m.member(name, sep, end))
	}
}

// member hides the value that begins at start, and returns its end.
func (m *mask) member(name, sep string, start int) int {
	class := tellingName(name)
	rest := m.text[start:]
	if class == plainName || rest == "" {
		return start
	}
	if n := quotedLength(rest); n > 0 {
		if class == codeName && isCode(rest[:n]) {
			return start + n
		}
		m.hide(start, start+n)
		return start + n
	}
	word := firstWord(rest, class)
	after := rest[len(word):]
	// name=value is written by programs; people write "name: words".
	sentence := strings.TrimSpace(sep) != sep || sep == ""
	if word == "" || class == codeName && isCode(word) || sentence && harmlessWord(class, word, after) {
		return start
	}
	if class == phraseName && sentence {
		word, _, _ = strings.Cut(rest, "\n")
	}
	m.hide(start, start+len(word))
	return start + len(word)
}

// firstWord returns the first word of a text. That of a code ends where a list goes on.
func firstWord(s string, class nameClass) string {
	if i := strings.IndexAny(s, " \t\n"); i >= 0 {
		s = s[:i]
	}
	if i := strings.IndexAny(s, ",;&}])"); i > 0 && class == codeName {
		s = s[:i]
	}
	return s
}

// harmlessWord reports whether the word after "name: " belongs to a sentence, or is a path or an
// address, which are looked at elsewhere.
func harmlessWord(class nameClass, word, after string) bool {
	return isProse(word, after) || strings.HasPrefix(word, "/") && class != phraseName || strings.Contains(word, "://")
}

// quotedLength returns the length of a quoted string, a list or an object at the beginning of s, 0
// if there is none. One that does not end goes to the end.
func quotedLength(s string) int {
	quote := s[:1]
	if strings.HasPrefix(s, `\"`) || strings.HasPrefix(s, `\'`) {
		quote = s[:2]
	}
	switch quote[len(quote)-1] {
	case '"', '\'', '`':
	case '[', '{':
		return bracketLength(s)
	default:
		return 0
	}
	for i := len(quote); i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		case s[i] == '\\' && len(quote) == 1:
			i++
		}
	}
	return len(s)
}

// bracketLength returns the length of a list or an object.
func bracketLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			i += quotedLength(s[i:]) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

var (
	// headerLine matches the headers that let one in, to the end of their line.
	headerLine = regexp.MustCompile(`(?i)\b(?:(?:proxy-)?authorization|(?:set-)?cookie2?|x-[\w-]*(?:token|key|secret|auth|signature|credential)[\w-]*)["']?[ \t]*[:=][ \t]*["']?([^\n]*)`)
	// scheme matches the value of an Authorization header by itself.
	scheme = regexp.MustCompile(`(?i)\b(?:bearer|basic|negotiate|digest|ntlm|token|apikey|aws4-hmac-sha256)[ \t]+["']?([^\s"',;]+)`)
)

// headers hides the values of headers.
func (m *mask) headers() {
	for _, f := range headerLine.FindAllStringSubmatchIndex(m.text, -1) {
		first, rest, _ := strings.Cut(m.text[f[2]:f[3]], " ")
		if !isProse(first, rest) || strings.EqualFold(first, "bearer") || strings.EqualFold(first, "basic") ||
			strings.EqualFold(first, "negotiate") || strings.EqualFold(first, "digest") || strings.EqualFold(first, "token") {
			m.hide(f[2], f[3])
		}
	}
	for _, f := range scheme.FindAllStringSubmatchIndex(m.text, -1) {
		word := m.text[f[2]:f[3]]
		name := strings.ToLower(m.text[f[0] : f[0]+len("bearer")-1])
		if name == "beare" && !isProse(word, m.text[f[3]:]) && !strings.HasPrefix(word, "error=") && !strings.HasPrefix(word, "realm=") || !plainWord(word) {
			m.hide(f[2], f[3])
		}
	}
}

// plainWord reports whether a word has nothing but letters of one case after the first, as words of
// a sentence do, or is an address, a path or a member.
func plainWord(word string) bool {
	word = strings.Trim(word, ".,;:!?()\"'`-")
	rest := strings.TrimLeft(word, "-/")
	return rest == "" || strings.ContainsAny(word, "/:(=") && !strings.HasSuffix(word, "=") || letters(strings.ReplaceAll(word, "-", "")) && strings.ToLower(word[1:]) == word[1:] ||
		strings.Trim(word, "0123456789") == "" && isStatus(word)
}
