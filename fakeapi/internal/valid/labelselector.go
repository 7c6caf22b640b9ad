package valid

import (
	"fmt"
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
		return p.set()
	case "=", "==", "!=", ">", "<", "gt", "lt":
		return p.value(op)
	default:
		return fmt.Sprintf("found '%s', expected: in, notin, =, ==, !=, gt, lt", op)
	}
}

// value reads the value after an operator.
func (p *labelWords) value(op string) string {
	v := p.peek()
	if v == "" || v == "," {
		v = ""
	} else if p.take(); !isLabelWord(v) {
		return fmt.Sprintf("found '%s', expected: identifier", v)
	}
	if _, err := strconv.ParseInt(v, 10, 64); err != nil && (op == ">" || op == "<" || op == "gt" || op == "lt") {
		return fmt.Sprintf("values[0]: Invalid value: %q: for 'Gt', 'Lt' operators, the value must be an integer", v)
	}
	return valueProblem(0, v)
}

// set reads the values in parentheses.
func (p *labelWords) set() string {
	if w := p.take(); w != "(" {
		return fmt.Sprintf("found '%s' expected: '('", w)
	}
	for i := 0; ; i++ {
		if w := p.peek(); isLabelWord(w) {
			p.take()
			if problem := valueProblem(i, w); problem != "" {
				return problem
			}
		}
		switch w := p.take(); w {
		case ",":
		case ")":
			return ""
		default:
			return fmt.Sprintf("found '%s', expected: ',' or ')'", w)
		}
	}
}

func valueProblem(i int, v string) string {
	if problem := LabelValue(v); problem != "" {
		return fmt.Sprintf("values[%d]: Invalid value: %q: %s", i, v, problem)
	}
	return ""
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
