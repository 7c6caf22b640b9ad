package valid

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// LabelSelector returns what kube-apiserver says about a label selector that it cannot read. It is
// only asked about selectors that have been refused: it walks over the text as the real parser
// does, to find the words for what is wrong.
func LabelSelector(text string) string {
	p := labelWords{words: splitLabelWords(text)}
	for {
		switch w := p.peek(); {
		case w == "":
			return "invalid label selector"
		case w == "!" || isLabelWord(w):
		default:
			return fmt.Sprintf("found '%s', expected: !, identifier, or 'end of string'", w)
		}
		if problem := p.requirement(); problem != "" {
			return "unable to parse requirement: " + problem
		}
		switch w := p.take(); w {
		case "":
			return "invalid label selector"
		case ",":
			if next := p.peek(); next != "!" && !isLabelWord(next) {
				return fmt.Sprintf("found '%s', expected: identifier after ','", next)
			}
		default:
			return fmt.Sprintf("found '%s', expected: ',' or 'end of string'", w)
		}
	}
}

// labelWords is what is left of a label selector, in words and symbols.
type labelWords struct{ words []string }

func (p *labelWords) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *labelWords) take() string {
	w := p.peek()
	if w != "" {
		p.words = p.words[1:]
	}
	return w
}

// requirement reads one requirement and returns what is wrong with it.
func (p *labelWords) requirement() string {
	absent := p.peek() == "!"
	if absent {
		p.take()
	}
	key := p.take()
	if !isLabelWord(key) {
		return fmt.Sprintf("found '%s', expected: identifier", key)
	}
	if problems := Qualified(key); len(problems) > 0 {
		return fmt.Sprintf("<nil>: Invalid value: %q: %s", key, strings.Join(problems, "; "))
	}
	if next := p.peek(); absent || next == "" || next == "," {
		return ""
	}
	switch op := p.take(); op {
	case "in", "notin":
		return p.set(key)
	case "=", "==", "!=", ">", "<": // the words gt and lt are only listed
		return p.value(key, op)
	default:
		return fmt.Sprintf("found '%s', expected: in, notin, =, ==, !=, gt, lt", op)
	}
}

// value reads the value after an operator.
func (p *labelWords) value(key, op string) string {
	v := p.peek()
	if v == "" || v == "," {
		v = ""
	} else if p.take(); !isLabelWord(v) {
		return fmt.Sprintf("found '%s', expected: identifier", v)
	}
	if _, err := strconv.ParseInt(v, 10, 64); err != nil && (op == ">" || op == "<") {
		problems := []string{fmt.Sprintf("values[0]: Invalid value: %q: for 'Gt', 'Lt' operators, the value must be an integer", v)}
		if more := valueProblems(key, v); more != "" {
			problems = append(problems, more)
		}
		return Join(problems)
	}
	return valueProblems(key, v)
}

// set reads the values in parentheses. They are checked once all have been read, in their order.
func (p *labelWords) set(key string) string {
	if w := p.take(); w != "(" {
		return fmt.Sprintf("found '%s' expected: '('", w)
	}
	var values []string
	switch w := p.peek(); {
	case w == ")":
		p.take()
		return ""
	case w == "," || isLabelWord(w):
		var problem string
		if values, problem = p.list(); problem != "" {
			return problem
		}
		p.take()
	default:
		return fmt.Sprintf("found '%s', expected: ',', ')' or identifier", w)
	}
	slices.Sort(values)
	return valueProblems(key, slices.Compact(values)...)
}

// list reads values up to the closing parenthesis. Between two commas there is an empty one.
func (p *labelWords) list() (values []string, problem string) {
	for {
		switch w := p.take(); {
		case isLabelWord(w):
			values = append(values, w)
			switch next := p.peek(); next {
			case ",":
			case ")":
				return values, ""
			default:
				return nil, fmt.Sprintf("found '%s', expected: ',' or ')'", next)
			}
		case w == ",":
			if len(values) == 0 {
				values = append(values, "")
			}
			switch p.peek() {
			case ")":
				return append(values, ""), ""
			case ",":
				p.take()
				values = append(values, "")
			}
		default:
			return nil, fmt.Sprintf("found '%s', expected: ',', or identifier", w)
		}
	}
}

// valueProblems returns what is wrong with the values of a key, or "".
func valueProblems(key string, values ...string) string {
	var all []string
	for i, v := range values {
		if problem := LabelValue(v); problem != "" {
			all = append(all, fmt.Sprintf("values[%d][%s]: Invalid value: %q: %s", i, key, v, problem))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return Join(all)
}

// labelSymbols are the characters that no word contains.
const labelSymbols = "=!(),<>"

func isLabelWord(w string) bool { return w != "" && !strings.ContainsAny(w, labelSymbols) }

// splitLabelWords splits a selector into words and symbols.
func splitLabelWords(text string) []string {
	var out []string
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return out
		}
		n := strings.IndexAny(text, labelSymbols+" \t\r\n")
		switch {
		case n < 0:
			n = len(text)
		case n == 0 && (strings.HasPrefix(text, "==") || strings.HasPrefix(text, "!=")):
			n = 2
		case n == 0:
			n = 1
		}
		out = append(out, text[:n])
		text = text[n:]
	}
}
