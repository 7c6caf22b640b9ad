package valid

import (
	"fmt"
	"strings"
)

// FieldSelector returns what kube-apiserver says about a field selector that it cannot read. Like
// LabelSelector, it is only asked about selectors that have been refused.
func FieldSelector(text string) string {
	for term := range strings.SplitSeq(text, ",") {
		if term != "" && !strings.Contains(term, "=") {
			return fmt.Sprintf("invalid selector: '%s'; can't understand '%s'", text, term)
		}
		if path, _, _ := strings.Cut(term, "="); strings.TrimSuffix(path, "!") == "" {
			return `"" is not a known field selector: only "metadata.name", "metadata.namespace"`
		}
	}
	return fmt.Sprintf("invalid field selector: unescaped character in value: %d", '=')
}
