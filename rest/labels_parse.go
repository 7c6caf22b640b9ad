package rest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ParseLabels parses a label selector with the grammar and the checks of the server: a=b, a==b,
// a!=b, a in (x,y), a notin (x,y), a (exists), !a (does not exist), a>5, a<5, joined by commas. The
// error says where it went wrong.
func ParseLabels(s string) (LabelSelector, error) {
	sel, err := parseLabels(s)
	if err != nil {
		return LabelSelector{}, invalid(fmt.Errorf("rest: %w", err))
	}
	return sel, nil
}

func parseLabels(s string) (LabelSelector, error) {
	p := labelParser{text: s}
	p.next()
	var sel LabelSelector
	for p.token != "" || p.word {
		t, err := p.term()
		if err == nil {
			err = t.check()
		}
		if err == nil {
			err = p.separator()
		}
		if err != nil {
			return LabelSelector{}, fmt.Errorf("label selector %q: at %d: %w", s, p.at, err)
		}
		sel.terms = append(sel.terms, t)
	}
	return sel, nil
}

// labelParser reads a label selector token by token.
type labelParser struct {
	text  string
	pos   int    // where the next token is looked for
	at    int    // where the token begins
	token string // the current token, "" at the end
	word  bool   // the token is a key or a value, not a symbol
}

const labelSymbols = "=!(),<>"

// next moves to the next token.
func (p *labelParser) next() {
	rest := strings.TrimLeft(p.text[p.pos:], " \t\r\n")
	p.at = len(p.text) - len(rest)
	n := strings.IndexAny(rest, labelSymbols+" \t\r\n")
	p.word = n != 0 && rest != ""
	switch {
	case n < 0:
		n = len(rest)
	case n == 0 && (strings.HasPrefix(rest, "==") || strings.HasPrefix(rest, "!=")):
		n = 2
	case n == 0:
		n = 1
	}
	p.token, p.pos = rest[:n], p.at+n
}

// unexpected reports what was found in place of what should follow.
func (p *labelParser) unexpected(want string) error {
	if p.token == "" {
		return fmt.Errorf("it ends where %s should follow", want)
	}
	return fmt.Errorf("found %q where %s should be", p.token, want)
}

// term reads one condition.
func (p *labelParser) term() (labelTerm, error) {
	t := labelTerm{op: opExists}
	if !p.word && p.token == "!" {
		t.op = opAbsent
		p.next()
	}
	if !p.word {
		return t, p.unexpected("a key")
	}
	t.key = p.token
	if err := checkLabelKey(t.key); err != nil {
		return t, err
	}
	p.next()
	if t.op == opAbsent || p.token == "" || p.token == "," {
		return t, nil
	}
	switch p.token {
	case opIn, opNotIn:
		t.op = p.token
		p.next()
		var err error
		t.values, err = p.set()
		return t, err
	case opEquals, opEquals2, opDiffers, opGreater, opLess:
		t.op = p.token
		p.next()
	default:
		return t, p.unexpected("an operator (=, ==, !=, in, notin, <, >)")
	}
	switch {
	case p.word:
		t.values = []string{p.token}
		p.next()
	case p.token == "" || p.token == ",": // a= selects the empty value
		t.values = []string{""}
	default:
		return t, p.unexpected("a value")
	}
	return t, nil
}

// set reads the values of in and notin, which may be empty: (a,,b) and ().
func (p *labelParser) set() ([]string, error) {
	if p.token != "(" {
		return nil, p.unexpected("'('")
	}
	p.next()
	var values []string
	for {
		value := ""
		if p.word {
			value = p.token
			p.next()
		}
		values = append(values, value)
		switch p.token {
		case ",":
			p.next()
		case ")":
			p.next()
			return values, nil
		default:
			return nil, p.unexpected("',' or ')'")
		}
	}
}

// separator reads the comma between two conditions.
func (p *labelParser) separator() error {
	switch {
	case p.token == "":
		return nil
	case p.token != ",":
		return p.unexpected("','")
	}
	p.next()
	if !p.word && p.token != "!" {
		return p.unexpected("a key")
	}
	return nil
}

// check refuses values that no label can have, and values for < and > that are not integers.
func (t *labelTerm) check() error {
	for _, v := range t.values {
		if err := checkLabelValue(v); err != nil {
			return err
		}
	}
	if t.op == opGreater || t.op == opLess {
		n, err := strconv.ParseInt(t.values[0], 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not an integer, and %s compares integers", t.values[0], t.op)
		}
		t.number = n
	}
	return nil
}

// checkLabelKey checks [prefix/]name: a DNS subdomain, and a label name.
func checkLabelKey(key string) error {
	name := key
	if prefix, rest, ok := strings.Cut(key, "/"); ok {
		if !isSubdomain(prefix) {
			return fmt.Errorf("key %q: the part before '/' is not a lower-case DNS subdomain", key)
		}
		name = rest
	}
	if err := checkLabelName(name); err != nil {
		return fmt.Errorf("key %q: the name %w", key, err)
	}
	return nil
}

// checkLabelValue checks the value of a label, which may be empty.
func checkLabelValue(value string) error {
	if value == "" {
		return nil
	}
	if err := checkLabelName(value); err != nil {
		return fmt.Errorf("value %q %w", value, err)
	}
	return nil
}

func checkLabelName(s string) error {
	const most = 63
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > most:
		return fmt.Errorf("has more than %d characters", most)
	case !alphanumeric(s[0]) || !alphanumeric(s[len(s)-1]):
		return errors.New("must start and end with a letter or digit")
	}
	for i := range len(s) {
		if c := s[i]; !alphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return errors.New("has characters other than letters, digits, '-', '_' and '.'")
		}
	}
	return nil
}

// isSubdomain reports whether s is a lower-case DNS subdomain (RFC 1123).
func isSubdomain(s string) bool {
	const most = 253
	if len(s) > most {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || part[0] == '-' || part[len(part)-1] == '-' {
			return false
		}
		for i := range len(part) {
			if c := part[i]; !alphanumeric(c) && c != '-' || c >= 'A' && c <= 'Z' {
				return false
			}
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
