//go:build unix

package plugin

import (
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// A program that cannot ask anybody has its time, and the error has the end of what it wrote.
func TestProgramThatHangs(t *testing.T) {
	x := &kubeconfig.Exec{
		APIVersion: kubeconfig.ExecV1, Command: "/bin/sh", Interactive: kubeconfig.InteractiveNever,
		Args: []string{"-c", "echo waiting for a browser >&2; exec sleep 60"},
	}
	_, err := run(t.Context(), x, &Cluster{}, nil, NewComplaint(x), 300*time.Millisecond)
	if want := "it has not ended within 300ms: waiting for a browser"; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// What is kept of the standard error is its end, and begins with a whole word: half of a secret
// would not be recognised.
func TestEndOfTheComplaint(t *testing.T) {
	const secret = "hunter2hunter2"
	c := NewComplaint(&kubeconfig.Exec{Env: []kubeconfig.EnvVar{{Name: "A", Value: secret}}})
	for _, s := range []string{strings.Repeat("x", 100), secret, " ", strings.Repeat("word ", maxStderr/5-2), "end"} {
		_, _ = c.Write([]byte(s))
	}
	got := string(c.end())
	if !strings.HasPrefix(got, "... word word") || !strings.HasSuffix(got, "word end") || len(got) > maxStderr {
		t.Errorf("%d bytes: %.40s", len(got), got)
	}
	_, _ = c.Write([]byte(strings.Repeat("x", 2*maxStderr)))
	if got := c.end(); len(got) > 0 {
		t.Errorf("the end of a word without end is %d bytes long", len(got))
	}
}
