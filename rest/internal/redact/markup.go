package redact

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// element matches an element of XML with its text, as clouds answer; in the terms of Go's own
	// printer as well: Name("text").
	element = regexp.MustCompile(`<(?:[\w-]+:)?([\w-]+)[^<>]*>([^<]+)|\b(\w+)\(\s*["']([^"'\n]+)`)
	// input matches a field of a form.
	input = regexp.MustCompile(`(?i)<(?:input|meta)\b[^>]*`)
	// attribute matches an attribute of a field.
	attribute = regexp.MustCompile(`(?i)\b(name|id|value|content)\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'>]+))`)
	// option matches what programs take a password with, as shells show the commands they run.
	option = regexp.MustCompile(`(?:^|\s)(?:-u|--user|--proxy-user|-U)(?:[ \t]+|=)(?:["'][^:"'\n]+:([^"'\n]+)|[^\s:"']+:([^\s"']+))|\bsshpass[ \t]+-p[ \t]*["']?([^\s"']+)|\bmysql\w*[ \t][^\n]*?-p([^\s"']+)`)
	// whose matches a secret of somebody: password for jane: x.
	whose = regexp.MustCompile(`(?i)\b(?:password|passphrase|passcode|token|pin|otp|secret)[ \t]+(?:for|of)[ \t]+[^\n:]{1,80}:[ \t]*([^\s]+)`)
	// spoken matches a secret in a sentence: the token abc123 has expired.
	spoken = regexp.MustCompile(`\b([A-Za-z][\w-]*)[ \t]+["'` + "`" + `]?([^\s"'` + "`" + `,;()]+)`)
)

// markup hides secrets in elements, fields of forms, commands and sentences.
func (m *mask) markup() {
	for _, f := range element.FindAllStringSubmatchIndex(m.text, -1) {
		for at := 2; at < len(f); at += 4 {
			if f[at] >= 0 && tellingName(m.text[f[at]:f[at+1]]) > codeName {
				m.hide(f[at+2], f[at+3])
			}
		}
	}
	for _, f := range input.FindAllStringIndex(m.text, -1) {
		m.field(f[0], m.text[f[0]:f[1]])
	}
	for _, r := range []*regexp.Regexp{option, whose} {
		for _, f := range r.FindAllStringSubmatchIndex(m.text, -1) {
			for at := 2; at < len(f); at += 2 {
				if f[at] >= 0 && !isProse(m.text[f[at]:f[at+1]], "") {
					m.hide(f[at], f[at+1])
				}
			}
		}
	}
	for at := 0; ; {
		f := spoken.FindStringSubmatchIndex(m.text[at:])
		if f == nil {
			return
		}
		if name, word := m.text[at+f[2]:at+f[3]], m.text[at+f[4]:at+f[5]]; tellingName(name) > codeName && coined(word) {
			m.hide(at+f[4], at+f[5])
		}
		at += f[3] // the word may be a name itself
	}
}

// field hides the value of a field of a form whose name is telling.
func (m *mask) field(start int, tag string) {
	hidden := false
	parts := attribute.FindAllStringSubmatchIndex(tag, -1)
	value := func(p []int) (from, to int) {
		for at := 4; at < len(p); at += 2 {
			if p[at] >= 0 {
				return p[at], p[at+1]
			}
		}
		return 0, 0
	}
	for _, p := range parts {
		if from, to := value(p); strings.EqualFold(tag[p[2]:p[3]], "name") || strings.EqualFold(tag[p[2]:p[3]], "id") {
			hidden = hidden || tellingName(tag[from:to]) > plainName
		}
	}
	for _, p := range parts {
		if name := strings.ToLower(tag[p[2]:p[3]]); hidden && (name == "value" || name == "content") {
			from, to := value(p)
			m.hide(start+from, start+to)
		}
	}
}

// coined reports whether a word in a sentence is not one of a language: it has digits, and is not a
// path, an address, an option or a member.
func coined(word string) bool {
	const least = 6
	word = strings.Trim(word, ".:!?")
	return len(word) >= least && strings.ContainsFunc(word, unicode.IsDigit) &&
		!strings.ContainsAny(word, "/:=<>[]{}") && !strings.HasPrefix(word, "-")
}
