package plugins

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// lines holds the first cells of the tables in the docs: those of all tables, and those of the one
// about plugins.
type lines struct{ all, plugins map[string]bool }

// docs reads the differences that the docs list.
var docs = sync.OnceValue(func() lines {
	raw, err := os.ReadFile("../../../../docs/configuration.md")
	if err != nil {
		panic(err)
	}
	_, text, _ := strings.Cut(string(raw), "\n## What differs from client-go\n")
	text, _, _ = strings.Cut(text, "\n## ")
	found := lines{map[string]bool{}, map[string]bool{}}
	inPlugins := false
	for line := range strings.Lines(text) {
		inPlugins = inPlugins || strings.HasPrefix(line, "These concern credential plugins:")
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 6 || cells[1] == " " || cells[1] == "---" {
			continue
		}
		cell := strings.TrimSpace(cells[1])
		found.all[cell] = true
		if inPlugins {
			found.plugins[cell] = true
		}
	}
	return found
})

// documented checks that the docs list a difference.
func documented(t *testing.T, differs []string, why string) {
	t.Helper()
	switch {
	case len(differs) == 0 && why == "":
	case len(differs) == 0:
		t.Errorf("nothing differs, but %q is given as the reason", why)
	case !docs().all[why]:
		t.Errorf("docs/configuration.md does not say why %v differ: there is no %q", differs, why)
	}
}

// Each difference in the docs is shown by a row or by a separate test.
func TestDocsAreShown(t *testing.T) {
	shown := map[string]bool{whyEnd: true, whyLeft: true, whyTerminal: true}
	for _, rows := range []map[string]row{printed(), started(), ended(), told(), refused(), beside()} {
		for _, r := range rows {
			shown[r.why] = true
		}
	}
	if len(docs().plugins) == 0 {
		t.Error("there is no table about plugins")
	}
	for why := range docs().plugins {
		if !shown[why] {
			t.Errorf("docs/configuration.md has a difference that nothing shows: %q", why)
		}
	}
}
