package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

// row is one case. Both libraries load the same kubeconfig and send the same requests to the same
// server.
type row struct {
	// exec, cluster and user are members of the entries in the kubeconfig, in addition to those
	// that every row has; nil removes one of these.
	exec, cluster, user map[string]any

	acts   []play.Act                     // default: a token
	setup  func(t *testing.T, dir string) // dir: the folder of the kubeconfig
	plain  bool                           // http
	http1  bool                           // no HTTP/2: client-go may send over a connection that it is closing
	taken  bool                           // the standard input is in use
	input  func(t *testing.T) *os.File    // the standard input; default: the test's
	send   []string                       // default: one "get"
	refuse []string                       // what the server refuses, with 401
	hold   int                            // how many of the refused are refused together
	words  []string                       // searched for in errors

	// want summarises the outcome: the answers, and the number of runs. Default: "200, 1 run".
	want string

	// theirs is the summary for client-go. Default: want.
	theirs string

	// differs lists the fields of the outcome that differ; why points to the reason in the docs:
	// the first cell of a line in the table.
	differs []string
	why     string
}

// run is what one run of the program received.
type run struct {
	Args, Env   []string
	Info        any
	Terminal    bool
	Line, Asked string
}

// outcome is what a library makes of a row.
type outcome struct {
	Answers  []string // to requests
	Seen     []string // by the server, of each request
	Words    []string // words of the row found in errors
	Runs     []run
	Complain bool // the program's standard error reached that of the process
}

func (o *outcome) summary() string {
	s := strings.Join(o.Answers, " ")
	if len(o.Runs) == 1 {
		return s + ", 1 run"
	}
	return fmt.Sprintf("%s, %d runs", s, len(o.Runs))
}

// check plays the row with both libraries.
func (r *row) check(t *testing.T) {
	t.Helper()
	if r.want == "" {
		r.want = "200, 1 run"
	}
	if r.theirs == "" {
		r.theirs = r.want
	}
	d := newDoor(t, !r.plain, !r.http1)
	d.refuse, d.hold = r.refuse, r.hold
	dir := t.TempDir()
	path := r.write(t, d, dir)
	their := r.play(t, theirs, d, dir, path)
	our := r.play(t, ours, d, dir, path)
	if got := our.summary(); got != r.want {
		t.Errorf("Tideway: %s, want %s", got, r.want)
	}
	if got := their.summary(); got != r.theirs {
		t.Errorf("client-go: %s, want %s", got, r.theirs)
	}
	differences(t, their, our, r.differs)
	documented(t, r.differs, r.why)
}

// differences compares outcomes field by field.
func differences[T any](t *testing.T, their, our T, differs []string) {
	t.Helper()
	a, b := reflect.ValueOf(their), reflect.ValueOf(our)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		d := cmp.Diff(a.Field(i).Interface(), b.Field(i).Interface(), cmpopts.EquateEmpty())
		switch meant := slices.Contains(differs, name); {
		case d != "" && !meant:
			t.Errorf("%s differs (-client-go +Tideway):\n%s", name, d)
		case d == "" && meant:
			t.Errorf("%s does not differ any more", name)
		}
	}
}

// write writes the kubeconfig, and the instructions for the program.
func (r *row) write(t *testing.T, d *door, dir string) string {
	t.Helper()
	acts := r.acts
	if len(acts) == 0 {
		acts = []play.Act{{Print: token("t")}}
	}
	if err := play.Write(dir, acts); err != nil {
		t.Fatal(err)
	}
	exec := with(r.exec, map[string]any{"apiVersion": v1, "command": program, "interactiveMode": "Never"})
	env := []any{map[string]any{"name": play.Folder, "value": dir}}
	if more, ok := exec["env"].([]any); ok {
		env = append(env, more...)
	}
	exec["env"] = env
	cluster := map[string]any{"server": d.URL}
	if ca := d.ca(); ca != nil {
		cluster["certificate-authority-data"] = ca
	}
	type entries = []map[string]any
	text := quote(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "x",
		"clusters": entries{{"name": "c", "cluster": with(r.cluster, cluster)}},
		"users":    entries{{"name": "u", "user": with(r.user, map[string]any{"exec": exec})}},
		"contexts": entries{{"name": "x", "context": map[string]any{"cluster": "c", "user": "u"}}},
	})
	path := filepath.Join(dir, "config")
	// A value that is written without quotes in YAML.
	text = strings.NewReplacer(`"`+yaml, "", yaml+`"`, "", "SERVER", d.URL).Replace(text)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r.setup != nil {
		r.setup(t, dir)
	}
	return path
}

// yaml encloses a text that goes into the kubeconfig without quotes.
const yaml = "%YAML%"

// with returns the members of both maps; nil removes a member.
func with(more, usual map[string]any) map[string]any {
	for k, v := range more {
		usual[k] = v
		if v == nil {
			delete(usual, k)
		}
	}
	return usual
}

// play loads the kubeconfig with one library and sends the requests.
func (r *row) play(t *testing.T, open side, d *door, dir, path string) (o outcome) {
	t.Helper()
	stderr := redirect(t, filepath.Join(dir, "stderr"))
	defer func() {
		text := stderr()
		for _, a := range r.acts {
			o.Complain = o.Complain || a.Complain != "" && bytes.Contains(text, []byte(a.Complain))
		}
	}()
	defer r.standardInput(t)()
	rt, closeIdle, err := open(path, r.taken)
	if err != nil {
		o.Answers, o.Words = []string{"not loaded"}, found(r.words, err)
		return o
	}
	defer closeIdle()
	batches := r.send
	if len(batches) == 0 {
		batches = []string{"get"}
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	sorted := false
	var errs []error
	for _, b := range batches {
		n := 1
		if count, what, ok := strings.Cut(b, " times "); ok {
			n, _ = strconv.Atoi(count)
			b, sorted = what, true
		}
		answers := make([]string, n)
		failed := make([]error, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { answers[i], failed[i] = send(ctx, rt, d.URL, b) })
		}
		all.Wait()
		o.Answers, errs = append(o.Answers, summed(answers)...), append(errs, failed...)
	}
	o.Seen, o.Words, o.Runs = d.take(sorted), found(r.words, errors.Join(errs...)), runs(t, dir)
	return o
}

// standardInput sets the standard input of the process and returns a function that restores it.
func (r *row) standardInput(t *testing.T) func() {
	t.Helper()
	before := os.Stdin
	if r.input != nil {
		os.Stdin = r.input(t)
	}
	return func() { os.Stdin = before }
}

// redirect sends the standard error of the process to a file. The function that it returns ends
// that, and returns what was written.
func redirect(t *testing.T, path string) func() []byte {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = f
	return func() []byte {
		os.Stderr = before
		_ = f.Close()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return text
	}
}

// summed combines equal answers to many requests.
func summed(answers []string) []string {
	if len(answers) == 1 {
		return answers
	}
	slices.Sort(answers)
	var s []string
	for len(answers) > 0 {
		n := 1
		for n < len(answers) && answers[n] == answers[0] {
			n++
		}
		s = append(s, strconv.Itoa(n)+"x"+answers[0])
		answers = answers[n:]
	}
	return s
}

// send sends one request and returns its outcome in a word.
func send(ctx context.Context, rt http.RoundTripper, url, how string) (string, error) {
	method, body := http.MethodGet, io.Reader(nil)
	switch how {
	case "post":
		method, body = http.MethodPost, strings.NewReader("x")
	case "post once": // the body cannot be read again
		method, body = http.MethodPost, io.MultiReader(strings.NewReader("x"))
	}
	req, err := http.NewRequestWithContext(ctx, method, url+"/api/v1/pods", body)
	if err != nil {
		return "no request", err
	}
	if how == "own" {
		req.Header.Set("Authorization", "Bearer own")
	}
	resp, err := (&http.Client{Transport: rt}).Do(req)
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled", err
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline", err
	case err != nil:
		return "error", err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return strconv.Itoa(resp.StatusCode), nil
}

// found returns the words that occur in an error.
func found(words []string, err error) []string {
	var has []string
	for _, w := range words {
		if err != nil && strings.Contains(err.Error(), w) {
			has = append(has, w)
		}
	}
	return has
}

// runs reads the notes of the program.
func runs(t *testing.T, dir string) []run {
	t.Helper()
	notes, err := play.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]run, len(notes))
	for i, n := range notes {
		all[i] = run{Args: n.Args, Env: n.Env, Info: decoded(n.Info), Terminal: n.Terminal, Line: n.Line, Asked: n.Asked}
	}
	return all
}

// decoded decodes the information that the program received. A config of null counts as none.
func decoded(info string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(info))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return info
	}
	if top, ok := v.(map[string]any); ok {
		if spec, ok := top["spec"].(map[string]any); ok {
			if cluster, ok := spec["cluster"].(map[string]any); ok && cluster["config"] == nil {
				delete(cluster, "config")
			}
		}
	}
	return v
}
