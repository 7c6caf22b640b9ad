package plugins

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

// with sets a member of the plugin's entry.
func (r row) with(member string, value any) row {
	exec := map[string]any{}
	maps.Copy(exec, r.exec)
	exec[member] = value
	r.exec = exec
	return r
}

// beside sets a member of the user's entry.
func (r row) beside(member string, value any) row {
	r.user = map[string]any{member: value}
	return r
}

// expect sets the outcome.
func (r row) expect(want string) row {
	r.want = want
	return r
}

// finds sets the words searched for in errors.
func (r row) finds(words ...string) row {
	r.words = words
	return r
}

// place copies the program to a path below the folder of the kubeconfig.
func place(mode os.FileMode, path ...string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		to := filepath.Join(append([]string{dir}, path...)...)
		raw, err := os.ReadFile(program)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, raw, mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inPath puts the folder of the kubeconfig, or one below it, into PATH.
func inPath(below string, before func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if before != nil {
			before(t, dir)
		}
		t.Setenv("PATH", filepath.Join(dir, below)+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
}

func variable(name, value string) any { return map[string]any{"name": name, "value": value} }

// started returns rows about how the program is found and started.
func started() map[string]row {
	const (
		hint    = "take it from example.org"
		byPath  = "a missing plugin that is given as a path"
		noFound = "error, 0 runs"
	)
	r := row{}
	missing := r.with("installHint", hint).finds(hint).expect(noFound)
	strange := []any{
		"a b", "", " ", "'", `"`, `\`, "$(touch x)", "`touch x`", "; touch x", "&& touch x", "| cat", "> x", "two\nlines", "\ttab", "$HOME", "${HOME}",
		"%PATH%", "~", "*", "--flag=a b", "-", "--", "#", "!", "ü€😀", "\u0085", "a\u00a0b", "null", "true", "0",
	}
	return map[string]row{
		"by its path":              r,
		"arguments of all kinds":   r.with("args", strange),
		"arguments of YAML":        r.with("args", []any{yaml + "[1, 2.50, 010, yes, null, 2020-01-01, ~, 1_000]" + yaml}).expect("not loaded, 0 runs"),
		"no arguments":             r.with("args", []any{}),
		"arguments of null":        r.with("args", yaml+"null"+yaml),
		"variables":                r.with("env", []any{variable("OWN1", "a b"), variable("OWN2", ""), variable("OWN3", "$OWN1=x\n`id`")}),
		"a variable twice":         r.with("env", []any{variable("OWN", "first"), variable("OWN", "last")}),
		"a variable of the parent": {setup: func(t *testing.T, _ string) { t.Helper(); t.Setenv("OWN", "parent") }},
		"one that the parent has":  row{setup: func(t *testing.T, _ string) { t.Helper(); t.Setenv("OWN", "parent") }}.with("env", []any{variable("OWN", "entry")}),
		"the information itself":   r.with("env", []any{variable("KUBERNETES_EXEC_INFO", "mine")}),
		"a variable with an equals sign": r.with("env", []any{variable("OWN=a", "b")}).expect("not loaded, 0 runs").
			differ("200, 1 run", "a variable for a plugin with a name or value that no environment can carry", "Answers", "Seen", "Runs"),
		"an argument with a NUL": r.with("args", []any{"a\x00b"}).expect(noFound),
		"a variable with a NUL": r.with("env", []any{variable("OWN", "a\x00b")}).expect("not loaded, 0 runs").
			differ(noFound, "a variable for a plugin with a name or value that no environment can carry", "Answers"),

		"relative to the kubeconfig":      row{setup: place(0o700, "bin", "own")}.with("command", "./bin/own"),
		"relative, without a dot":         row{setup: place(0o700, "bin", "own")}.with("command", "bin/own"),
		"relative, and up":                row{setup: place(0o700, "bin", "own")}.with("command", "bin/../bin/own"),
		"a name in PATH":                  row{setup: inPath("bin", place(0o700, "bin", "own-plugin"))}.with("command", "own-plugin"),
		"a name with a space in PATH":     row{setup: inPath("bin", place(0o700, "bin", "own plugin;x"))}.with("command", "own plugin;x"),
		"a name next to the kubeconfig":   row{setup: place(0o700, "own-plugin"), want: noFound}.with("command", "own-plugin"),
		"a name in PATH as a folder":      row{setup: inPath("", place(0o700, "own-plugin", "x")), want: noFound}.with("command", "own-plugin"),
		"a name in PATH, not executable":  row{setup: inPath("bin", place(0o600, "bin", "own-plugin")), want: noFound}.with("command", "own-plugin"),
		"a name in a relative PATH":       row{setup: workIn(place(0o700, "own-plugin")), want: noFound}.with("command", "own-plugin"),
		"a variable in the path":          row{want: noFound}.with("command", "$PLUGIN"),
		"a command line":                  row{want: noFound}.with("command", "echo hello"),
		"a command of YAML":               row{want: "not loaded, 0 runs"}.with("command", yaml+"null"+yaml),
		"missing":                         missing.with("command", "no-such-plugin"),
		"missing, without a hint":         row{want: noFound, words: []string{"no-such-plugin"}}.with("command", "no-such-plugin"),
		"missing, by its path":            missing.with("command", "/nowhere/plugin").differ(noFound, byPath, "Words"),
		"missing, relative":               missing.with("command", "./plugin").differ(noFound, byPath, "Words"),
		"missing, a hint with escapes":    r.with("installHint", "take \x1b[1mit\x1b[0m").with("command", "no-such-plugin").finds("take ", "\x1b[1m").expect(noFound),
		"not executable":                  row{setup: place(0o600, "own"), want: noFound, words: []string{"permission denied"}}.with("command", "./own"),
		"no program":                      row{setup: text(0o700, "neither\x00binary nor script"), want: noFound}.with("command", "./own"),
		"a script":                        row{setup: text(0o700, "#!/bin/sh\nexec '"+program+"' \"$@\"\n")}.with("command", "./own").with("args", []any{"a b", "$HOME"}),
		"a script without an interpreter": row{setup: text(0o700, "#!/nowhere/sh\n"), want: noFound}.with("command", "./own"),
		"a folder":                        row{setup: place(0o700, "own", "x"), want: noFound}.with("command", "./own"),
		"a script without its first line": row{setup: text(0o700, "exec '"+program+"'\n"), want: noFound}.with("command", "./own"),
		"an empty PATH":                   row{setup: func(t *testing.T, _ string) { t.Helper(); t.Setenv("PATH", "") }, want: noFound}.with("command", "own-plugin"),
	}
}

// workIn makes the folder of the kubeconfig the working directory, and makes PATH that directory,
// as a relative path.
func workIn(before func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		before(t, dir)
		t.Chdir(dir)
		t.Setenv("PATH", ".")
	}
}

// text writes a file that is not our program.
func text(mode os.FileMode, content string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "own"), []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
}

// whyStderr is the reason in the docs.
const whyStderr = "what a plugin writes to its standard error"

// ended returns rows about how the program ends.
func ended() map[string]row {
	const why = whyStderr
	failing := func(a play.Act) row {
		return row{acts: []play.Act{a}, want: "error, 1 run", words: []string{"no session", "hunter2"}}
	}
	const secret = "hunter2"
	killed := failing(play.Act{Kill: true, Print: token(secret)})
	return map[string]row{
		"fails":                     failing(play.Act{Code: 1}),
		"fails with another code":   failing(play.Act{Code: 42}).finds("42"),
		"fails with a credential":   failing(play.Act{Code: 1, Print: token(secret)}),
		"fails with a complaint":    failing(play.Act{Code: 1, Complain: "no session\n"}).differ("", why, "Words", "Complain"),
		"fails with both":           failing(play.Act{Code: 1, Complain: "no session\n", Print: token(secret)}).differ("", why, "Words", "Complain"),
		"killed":                    killed,
		"complains, and prints":     row{acts: []play.Act{{Complain: "no session\n", Print: token("t")}}}.differ("", why, "Complain"),
		"complains much":            {acts: []play.Act{{Complain: long("x"), Print: token("t")}}, differs: []string{"Complain"}, why: why},
		"fails, then not":           {acts: []play.Act{{Code: 1}, {Print: token("t")}}, send: []string{"get", "get", "get"}, want: "error 200 200, 2 runs"},
		"fails always":              {acts: []play.Act{{Code: 1}}, send: []string{"get", "get"}, want: "error error, 2 runs"},
		"prints nonsense, then not": {acts: []play.Act{{Print: "?"}, {Print: token("t")}}, send: []string{"get", "get"}, want: "error 200, 2 runs"},
	}
}

func TestStarted(t *testing.T) { checkAll(t, started()) }
func TestEnded(t *testing.T)   { checkAll(t, ended()) }
