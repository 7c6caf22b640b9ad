package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"regexp"
	"strings"
	"unicode"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const maxHint = 1 << 10

// missing returns the error for a program that cannot be found.
func missing(x *kubeconfig.Exec, err error) error {
	// The error repeats the command: keep only the reason.
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if hint := line([]byte(x.InstallHint), maxHint); hint != "" {
		return fmt.Errorf("%w; to install it: %s", err, hint)
	}
	return err
}

// failed returns the error for a program that failed.
func failed(x *kubeconfig.Exec, err error, stderr []byte) error {
	if text := redact(x, line(stderr, maxStderr)); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// escapes matches what terminals interpret as commands.
var escapes = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)`)

// line turns a text into one line, without anything that affects a terminal.
func line(text []byte, most int) string {
	s := strings.ToValidUTF8(escapes.ReplaceAllString(string(text), ""), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// tokens matches what looks like a credential: a JSON web token, or a long run of base64
// characters.
var tokens = regexp.MustCompile(`eyJ[\w-]{8,}[\w.=-]*|[\w+=-]{48,}`)

// redact removes from a program's complaint the secrets that it may have been given or may have
// obtained.
func redact(x *kubeconfig.Exec, s string) string {
	const least = 4 // to hide a shorter value would remove much and protect little
	hide := func(secret string) {
		if secret = line([]byte(secret), maxStderr); len(secret) >= least {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	for _, v := range x.Env {
		hide(string(v.Value))
	}
	for _, a := range x.Args {
		if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			hide(value)
		}
	}
	return tokens.ReplaceAllString(s, "[redacted]")
}
