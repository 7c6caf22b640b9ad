package redact_test

import (
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest/internal/redact"
)

// A plugin that prints much when it fails costs little.
func BenchmarkText(b *testing.B) {
	given := redact.Values{}
	given.AddArguments([]string{"--a=first-value", "--b=second-value", "--c=third-value"})
	text := strings.Repeat("failed to get token: dial tcp 10.0.0.1:443: connection refused\n", 1<<10)
	for b.Loop() {
		redact.Text(text, given, true)
	}
}
