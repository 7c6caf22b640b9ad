package transport

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// impersonation returns the headers of the user that a request acts for, nil if there is none.
func impersonation(i *kubeconfig.Impersonate) (http.Header, error) {
	if i.IsZero() {
		return nil, nil
	}
	if err := i.Validate(); err != nil {
		return nil, err
	}
	h := http.Header{}
	h.Set("Impersonate-User", i.User)
	if i.UID != "" {
		h.Set("Impersonate-Uid", i.UID)
	}
	for _, g := range i.Groups {
		h.Add("Impersonate-Group", g)
	}
	for key, values := range i.Extra {
		for _, v := range values {
			h.Add("Impersonate-Extra-"+escapeKey(key), v)
		}
	}
	return h, nil
}

// escapeKey percent-encodes the characters that the name of a header cannot carry, the percent sign
// itself, and capital letters: the server makes the name lower case before it decodes the key.
func escapeKey(key string) string {
	const marks = "!#$&'*+-.^_`|~" // of RFC 7230, without %
	var b strings.Builder
	for i := range len(key) {
		c := key[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte(marks, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
