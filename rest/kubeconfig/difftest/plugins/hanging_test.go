package plugins

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

// wait is the outcome of a request that waits for a plugin.
type wait struct {
	Returned bool   // before the plugin was allowed to continue
	Answer   string // at whatever time
	Alive    int    // processes of the plugin alive after that
	Next     string // the answer to another request
	Runs     int
}

// patience is how long we watch a library that is known to keep waiting. For Tideway the test waits
// as long as it takes.
const patience = 500 * time.Millisecond

// The reasons in the docs.
const (
	whyEnd      = "a request's context ends while the plugin runs"
	whyLeft     = "a process that a plugin leaves behind, and that holds its output"
	whyTerminal = "a plugin that may not prompt, and opens the terminal itself"
)

// caller sends requests with one of the libraries.
type caller struct {
	send    func(ctx context.Context) <-chan string
	watched time.Duration
}

// hanging is a plugin that hangs while the context of its request ends.
type hanging struct {
	row
	child         bool // it has started a process, which hangs as well
	context       func(context.Context) (context.Context, context.CancelFunc)
	theirs, wants wait
}

// hangs returns the usual case.
func hangs() hanging {
	return hanging{context: context.WithCancel, theirs: wait{false, "canceled", 1, "200", 1}, wants: wait{true, "canceled", 0, "200", 2}}
}

// check plays the case with both libraries.
func (h *hanging) check(t *testing.T) {
	t.Helper()
	g := newGate(t)
	h.acts = []play.Act{{Gate: g.Addr().String(), Wait: true, Child: h.child, Print: token("t")}}
	came := func() []*visitor {
		if h.child {
			return []*visitor{g.next(), g.next()}
		}
		return []*visitor{g.next()}
	}
	got := h.both(t, func(c caller) wait {
		ctx, end := h.context(t.Context())
		answer := c.send(ctx)
		plugin := came()
		end()
		w := until(t, answer, c.watched, plugin)
		next := c.send(t.Context())
		if w.Returned { // it starts the plugin again
			for _, v := range came() {
				v.free()
			}
		}
		w.Next = <-next
		return w
	})
	if d := cmp.Diff([]wait{h.theirs, h.wants}, got); d != "" {
		t.Errorf("client-go and Tideway (-want +got):\n%s", d)
	}
	documented(t, []string{"Returned"}, whyEnd)
}

func TestTheContextEnds(t *testing.T) {
	t.Run("canceled", func(t *testing.T) {
		h := hangs()
		h.check(t)
	})
	t.Run("deadline", func(t *testing.T) {
		h := hangs()
		h.theirs.Answer, h.wants.Answer = "deadline", "deadline"
		h.context = func(ctx context.Context) (context.Context, context.CancelFunc) {
			const enough = 2 * time.Second // time for the program to start
			ctx, cancel := context.WithTimeout(ctx, enough)
			return ctx, func() {
				<-ctx.Done()
				cancel()
			}
		}
		h.check(t)
	})
	t.Run("with a child", func(t *testing.T) {
		h := hangs()
		h.child, h.theirs.Alive = true, 2
		h.check(t)
	})
}

// A process that the plugin left behind holds its standard output open.
func TestLeftBehind(t *testing.T) {
	g := newGate(t)
	r := row{acts: []play.Act{{Gate: g.Addr().String(), Child: true, Print: token("t")}}}
	got := r.both(t, func(c caller) wait {
		answer := c.send(t.Context())
		w := until(t, answer, c.watched, []*visitor{g.next()})
		w.Next = <-c.send(t.Context())
		return w
	})
	if d := cmp.Diff([]wait{{false, "200", 1, "200", 1}, {true, "200", 1, "200", 1}}, got); d != "" {
		t.Errorf("client-go and Tideway (-want +got):\n%s", d)
	}
	documented(t, []string{"Returned"}, whyLeft)
}

// until watches a request and the processes, then lets these continue.
func until(t *testing.T, answer <-chan string, watched time.Duration, plugin []*visitor) wait {
	t.Helper()
	var w wait
	timer := time.NewTimer(watched)
	defer timer.Stop()
	select {
	case w.Answer = <-answer:
		w.Returned = true
	case <-timer.C:
	}
	for _, v := range plugin {
		if v.alive(patience) {
			w.Alive++
		}
	}
	for _, v := range plugin {
		v.free()
	}
	if !w.Returned {
		w.Answer = <-answer
	}
	return w
}

// both does the same with both libraries, on one kubeconfig.
func (r *row) both(t *testing.T, do func(caller) wait) []wait {
	t.Helper()
	d := newDoor(t, true, true)
	dir := t.TempDir()
	path := r.write(t, d, dir)
	one := func(open side, watched time.Duration) wait {
		defer r.standardInput(t)()
		rt, closeIdle, err := open(path, r.taken)
		if err != nil {
			t.Fatal(err)
		}
		defer closeIdle()
		w := do(caller{watched: watched, send: func(ctx context.Context) <-chan string {
			answer := make(chan string, 1)
			go func() {
				said, _ := send(ctx, rt, d.URL, "get")
				answer <- said
			}()
			return answer
		}})
		w.Runs = len(runs(t, dir))
		return w
	}
	return []wait{one(theirs, patience), one(ours, most)}
}
