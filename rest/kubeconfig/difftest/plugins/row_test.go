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

// row is one case. Both libraries load the same kubeconfig, and send the same requests to the same
// server.
type row struct {
	// exec, cluster and user are members of the entries of the kubeconfig, beside those that every
	// row has; nil takes one of these away.
	exec, cluster, user map[string]any

	acts   []play.Act                     // default: a token
	setup  func(t *testing.T, dir string) // dir: where the kubeconfig is
	plain  bool                           // http
	http1  bool                           // no HTTP/2: client-go may send over a connection that it is closing
	taken  bool                           // the standard input is used otherwise
	input  func(t *testing.T) *os.File    // the standard input; default: that of the test
	send   []string                       // default: one "get"
	refuse []string                       // by the server, with 401
	hold   int                            // so many of the refused at once
	words  []string                       // that errors are searched for

	// want is the summary of what comes of it: the answers, and the number of runs. Default: "200,
	// 1 run".
	want string

	// theirs is the summary of client-go. Default: want.
	theirs string

	// differs are the fields of the outcome that differ, why is where the docs have the reason: the
	// first cell of a line in the table.
	differs []string
	why     string
}

// run is what one run of the program was told.
type run struct {
	Args, Env   []string
	Info        any
	Terminal    bool
	Line, Asked string
}

// outcome is what both sides make of a row.
type outcome struct {
	Answers  []string // to the requests
	Seen     []string // by the server
	Words    []string // of the row that errors have
	Runs     []run
	Complain bool // the standard error of the program came to that of the process
}

func (o *outcome) summary() string {
	s := strings.Join(o.Answers, " ")
	if len(o.Runs) == 1 {
		return s + ", 1 run"
	}
	return fmt.Sprintf("%s, %d runs", s, len(o.Runs))
}

// check plays the row with both.
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

// differences compares field by field.
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
			t.Errorf("%s differs no more", name)
		}
	}
}

// write writes the kubeconfig, and what the program does.
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
	// A value that stands for itself in YAML only.
	text = strings.NewReplacer(`"`+yaml, "", yaml+`"`, "", "SERVER", d.URL).Replace(text)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r.setup != nil {
		r.setup(t, dir)
	}
	return path
}

// yaml is around a text that goes into the kubeconfig without quotes.
const yaml = "%YAML%"

// with returns the members of both; nil takes one away.
func with(more, usual map[string]any) map[string]any {
	for k, v := range more {
		usual[k] = v
		if v == nil {
			delete(usual, k)
		}
	}
	return usual
}

// play loads the kubeconfig with one side, and sends the requests.
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

// standardInput sets that of the process, and returns what undoes it.
func (r *row) standardInput(t *testing.T) func() {
	t.Helper()
	before := os.Stdin
	if r.input != nil {
		os.Stdin = r.input(t)
	}
	return func() { os.Stdin = before }
}

// redirect sends the standard error of the process to a file, and returns what ends that and
// returns what was written.
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

// summed joins equal answers that many requests got.
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

// send sends one request, and tells in a word what came of it.
func send(ctx context.Context, rt http.RoundTripper, url, how string) (string, error) {
	method, body := http.MethodGet, io.Reader(nil)
	switch how {
	case "post":
		method, body = http.MethodPost, strings.NewReader("x")
	case "post once": // it cannot be read again
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

// found returns the words that an error has.
func found(words []string, err error) []string {
	var has []string
	for _, w := range words {
		if err != nil && strings.Contains(err.Error(), w) {
			has = append(has, w)
		}
	}
	return has
}

// runs reads what the program noted.
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

// decoded reads what the program is told. A config of null is none.
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
