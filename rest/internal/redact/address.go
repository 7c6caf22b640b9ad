package redact

import (
	"regexp"
	"strings"
)

var (
	address = regexp.MustCompile(`[a-zA-Z][\w+.-]*:(?:\\?/){2}[^\s"'<>]+`)
	// loginAt matches user:password@host without a scheme.
	loginAt = regexp.MustCompile(`[\w.%+~-]+:([^\s@/"']+)@[\w.-]+`)
	// parameter matches a parameter of a query, with or without an address.
	parameter = regexp.MustCompile(`[?&;][\w.\[\]%-]+=([^\s&"'<>]+)`)
)

// addresses hides the users of addresses, and the values of their queries and fragments.
func (m *mask) addresses() {
	for _, f := range address.FindAllStringIndex(m.text, -1) {
		m.address(f[0], f[1])
	}
	for _, f := range loginAt.FindAllStringSubmatchIndex(m.text, -1) {
		m.hide(f[2], f[3])
	}
	for _, f := range parameter.FindAllStringSubmatchIndex(m.text, -1) {
		m.hide(f[2], f[3])
	}
}

func (m *mask) address(start, end int) {
	u := m.text[start:end]
	from := strings.Index(u, "/") + len("/")
	from += strings.Index(u[from:], "/") + len("/")
	host := u[from:]
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		m.hide(start+from, start+from+i)
	} else if i := strings.LastIndexByte(u, '@'); i >= 0 && !plainHost(host) {
		m.hide(start+from, start+i) // a slash in a password
	}
	i := strings.IndexAny(u, "?#")
	if i < 0 {
		return
	}
	for part := i + 1; part <= len(u); {
		next := len(u)
		if n := strings.IndexAny(u[part:], "&#"); n >= 0 {
			next = part + n
		}
		value := part
		if n := strings.IndexByte(u[part:next], '='); n >= 0 {
			value += n + 1
		}
		m.hide(start+value, start+next)
		part = next + 1
	}
}

// plainHost reports whether s is a host, with or without a port.
func plainHost(s string) bool {
	host, port, ok := strings.Cut(s, ":")
	return host != "" && !ok || strings.HasPrefix(s, "[") || port != "" && strings.Trim(port, "0123456789") == ""
}
