package watch_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

// verdict watches the reader's side and the server's side of a watch, and notes the first rule that
// is broken.
type verdict struct {
	server  *answers
	options watch.Options
	fault   string
	stop    func() // the watch
	events  []told

	held     map[string]string // the version of each object that the reader holds
	deleted  map[string]string // the version of the last Deleted of each
	bookmark string            // the version of the last Bookmark
	marked   int               // the list before it
	failed60 []time.Time       // the failures of the last minute
	failures int               // since the last sign of life
}

// told is an event, and how many requests had been sent before it.
type told struct {
	watch.Event[rest.Object]

	at       time.Time
	requests int
	synced   int // the last list before it
}

func (v *verdict) broken(format string, a ...any) {
	if v.stop(); v.fault == "" {
		v.fault = fmt.Sprintf(format, a...)
	}
}

// event judges what the reader sees.
func (v *verdict) event(ev watch.Event[rest.Object]) {
	if v.held == nil {
		v.held, v.deleted = map[string]string{}, map[string]string{}
	}
	v.server.mu.Lock()
	defer v.server.mu.Unlock()
	e := told{Event: ev, at: time.Now(), requests: len(v.server.asked)}
	for i, a := range v.server.asked {
		if a.verb != "watch" {
			e.synced = i
		}
	}
	v.events = append(v.events, e)
	alive := !ev.Listed
	switch ev.Type { //nolint:exhaustive // the others are signs of life, and no more
	case watch.Added, watch.Modified:
		v.changed(ev)
	case watch.Deleted:
		v.gone(ev)
	case watch.Bookmark:
		v.passed(e)
	case watch.WatchFailed:
		v.failures++
		v.failed60 = append(slices.DeleteFunc(v.failed60, func(at time.Time) bool { return e.at.Sub(at) > time.Minute }), e.at)
		if len(v.failed60) > 61 {
			v.broken("%d failures within a minute", len(v.failed60))
		}
		alive = false
	case watch.Recovered:
		if v.failures == 0 || ev.Recovery.Attempts != v.failures {
			v.broken("%s after %d failures", line(ev), v.failures)
		}
		v.failures = 0
	case watch.Error:
		alive = !isRefusal(ev.Err)
	}
	if alive && v.failures > 0 {
		v.broken("%s before RECOVERED", line(ev))
	}
}

// isRefusal reports whether an Error event tells what the server refused.
func isRefusal(err error) bool {
	return errors.As(err, new(*rest.StatusError)) || errors.Is(err, rest.ErrNoStreaming)
}

// changed judges Added and Modified: nothing comes twice, and nothing goes back.
func (v *verdict) changed(ev watch.Event[rest.Object]) {
	before, held := v.held[ev.Key.Name]
	switch {
	case held && before == ev.ResourceVersion && !ev.Replayed:
		v.broken("%s is told twice", line(ev))
	case held && !ev.Listed && older(ev.ResourceVersion, before):
		v.broken("%s goes back from %s", line(ev), before)
	}
	v.held[ev.Key.Name] = ev.ResourceVersion
	delete(v.deleted, ev.Key.Name)
}

// passed judges Bookmark: each is newer than the one before, unless a list came between.
func (v *verdict) passed(e told) {
	if v.bookmark != "" && v.marked == e.synced && !older(v.bookmark, e.ResourceVersion) {
		v.broken("%s at %s after one at %s", line(e.Event), e.ResourceVersion, v.bookmark)
	}
	v.bookmark, v.marked = e.ResourceVersion, e.synced
}

// gone judges Deleted: nothing comes twice.
func (v *verdict) gone(ev watch.Event[rest.Object]) {
	name := ev.Key.Name
	if _, held := v.held[name]; !held && v.deleted[name] == ev.ResourceVersion {
		v.broken("%s is told twice", line(ev))
	}
	delete(v.deleted, name)
	if !ev.Inferred {
		v.deleted[name] = ev.ResourceVersion
	}
	delete(v.held, name)
}

// older reports whether version a is a number less than b.
func older(a, b string) bool {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	return errA == nil && errB == nil && m < n
}

// end judges the requests once the watch has ended.
func (v *verdict) end() {
	v.pace()
	for i := 1; i < len(v.server.asked); i++ {
		v.gap(i)
		v.position(i)
		v.list(i)
	}
	v.silence()
	v.patience()
}

// In any minute there are at most 60 requests, pages that bring new objects aside.
func (v *verdict) pace() {
	var at []time.Time
	for i, a := range v.server.asked {
		if a.verb == "continue" && v.server.asked[i-1].reply.fresh {
			continue
		}
		at = append(at, a.at)
		if n := len(at); n > 60 && at[n-1].Sub(at[n-61]) <= time.Minute {
			v.broken("61 requests within %v", at[n-1].Sub(at[n-61]))
		}
		if n := len(at); n > 10 && at[n-1].Sub(at[n-11]) < time.Second {
			v.broken("11 requests within %v", at[n-1].Sub(at[n-11]))
		}
	}
}

// failed returns the failures that were told between two requests.
func (v *verdict) failed(i int) *watch.AttemptError {
	for _, ev := range v.events {
		if ev.requests == i && ev.Type == watch.WatchFailed {
			e, _ := errors.AsType[*watch.AttemptError](ev.Err)
			return e
		}
	}
	return nil
}

// Each wait was told, and is as long as it was told; but for the second after 410.
func (v *verdict) gap(i int) {
	before, now := v.server.asked[i-1], v.server.asked[i]
	waited := now.at.Sub(before.reply.over)
	e := v.failed(i)
	switch {
	case before.reply.over.IsZero():
	case e != nil:
		if waited < e.Delay || waited > e.Delay+time.Second { // an ERROR event ends the attempt before the body ends
			v.broken("request %d came after %v, announced were %v", i, waited, e.Delay)
		}
	case waited == 0, before.watches() && v.mayWait(waited, now.verb):
	default:
		v.broken("request %d waited for %v without a word", i, waited)
	}
	startsOver := before.verb == "continue" // once, after 410 between two pages
	if now.lists() && e == nil && !startsOver && !v.unable(i) {
		v.noListBefore(i)
	}
}

// lists reports whether the request begins a list.
func (a *asked) lists() bool { return a.verb == "list" || a.verb == "stream" }

// watches reports whether the answer has come to be a watch.
func (a *asked) watches() bool { return a.verb == "watch" || a.verb == "stream" && a.reply.mark > 0 }

// unable reports whether it was told, at the time of a request, that the server cannot stream
// lists.
func (v *verdict) unable(i int) bool {
	return slices.ContainsFunc(v.events, func(ev told) bool {
		return ev.requests >= i && ev.at.Equal(v.server.asked[i].at) && errors.Is(ev.Err, rest.ErrNoStreaming)
	})
}

// mayWait reports whether a wait after a watch needs no word: for a random part of a second after
// 410, and for the pace of a watch whose timeout is short.
func (v *verdict) mayWait(waited time.Duration, then string) bool {
	if then != "watch" {
		return waited <= time.Second
	}
	return v.options.Timeout != 0 && waited < 1300*time.Millisecond
}

// A list soon after another one is told.
func (v *verdict) noListBefore(i int) {
	now := v.server.asked[i]
	for _, a := range v.server.asked[:i] {
		over := a.reply.over
		if a.verb == "stream" {
			over = a.reply.marked
		}
		if d := now.at.Sub(over); a.verb != "watch" && !over.IsZero() && d < 10*time.Second {
			v.broken("list %d follows a list after %v without a word", i, d)
		}
	}
}

// The position of a watch never goes back, but to that of a list, and is never none.
func (v *verdict) position(i int) {
	now := v.server.asked[i]
	if now.verb != "watch" {
		return
	}
	if now.version == "" || now.version == "0" {
		v.broken("request %d watches from %q", i, now.version)
	}
	if before := v.server.asked[i-1]; before.verb == "watch" && older(now.version, before.version) {
		v.broken("request %d goes back from %s to %s", i, before.version, now.version)
	}
}

// A list follows if the version may be gone.
func (v *verdict) list(i int) {
	before, now := v.server.asked[i-1], v.server.asked[i]
	if !before.watches() || now.verb != "watch" {
		return
	}
	text := fmt.Sprint(before.reply.pieces[:before.reply.read]...)
	if last := strings.LastIndex(strings.TrimSpace(text), "\n"); last >= 0 {
		text = text[last:]
	}
	for _, gone := range []string{`"code":404`, `"code":410`, `"reason":"Expired"`, rest.ReasonStorageReadError, "Too large"} {
		if strings.Contains(text, gone) && (before.reply.code >= 400 || v.failed(i) != nil) {
			v.broken("request %d watches on after %s", i, gone)
		}
	}
}

// Of two streams in a row that end early without anything new, one is told, and a list follows the
// second one. One that ends within MinDuration is told.
func (v *verdict) silence() {
	least := cmp.Or(v.options.MinDuration, time.Second)
	timeout := cmp.Or(v.options.Timeout, 300*time.Second)
	empty := 0
	for i, a := range v.server.asked[:max(0, len(v.server.asked)-1)] {
		lasted := a.reply.over.Sub(a.at)
		if a.lists() {
			empty = 0
		}
		if !a.endsWell() || v.newest(i) != v.newest(i+1) || lasted >= timeout*8/100 { // the least of a tenth of the timeout
			empty = 0
			continue
		}
		e, next := v.failed(i+1), v.server.asked[i+1]
		if lasted < least && e == nil {
			v.broken("stream %d ended after %v without anything new, and without a word", i, lasted)
		}
		if empty++; empty < 2 {
			continue
		}
		empty = 0
		if e == nil || !next.lists() {
			v.broken("stream %d was the second in a row that ended after %v without anything new: told %v, then %s", i, lasted, e != nil, next.verb)
		}
	}
}

// endsWell reports whether the request is a watch whose body ends in an orderly way.
func (a *asked) endsWell() bool {
	if !a.watches() || a.reply.code != http.StatusOK || len(a.reply.pieces) == 0 {
		return false
	}
	refused := false // by the last frame
	for i, piece := range a.reply.pieces {
		last := i == len(a.reply.pieces)-1
		switch piece := piece.(type) {
		case time.Duration:
			if last {
				return false
			}
		case string:
			if last && piece != "" && !strings.Contains(piece, `"type"`) {
				return false
			}
			if piece != "" {
				refused = strings.Contains(piece, `"ERROR"`)
			}
		default:
			return false
		}
	}
	return !refused
}

// newest returns the newest version that the watch has seen before a request.
func (v *verdict) newest(i int) string {
	newest := v.options.ResourceVersion
	see := func(version string) {
		if _, err := strconv.Atoi(version); err == nil && (newest == "" || older(newest, version)) {
			newest = version
		}
	}
	for _, a := range v.server.asked[:i] {
		if !a.watches() {
			continue
		}
		for _, piece := range a.reply.pieces[a.reply.mark:a.reply.read] {
			text, _ := piece.(string)
			if _, version, ok := strings.Cut(text, `"resourceVersion":"`); ok {
				version, _, _ = strings.Cut(version, `"`)
				see(version)
			}
		}
	}
	for _, ev := range v.events {
		if ev.Type == watch.Synced && ev.synced < i {
			see(ev.ResourceVersion)
		}
	}
	return newest
}

// Failures in a row wait longer and longer unless something new came, or a stream ended well.
func (v *verdict) patience() {
	count := 0
	from := 0
	for _, ev := range v.events {
		if ev.Type != watch.WatchFailed {
			continue
		}
		e, _ := errors.AsType[*watch.AttemptError](ev.Err)
		ends := 0
		for i := from; i < ev.requests; i++ {
			a := v.server.asked[i]
			lasted := a.reply.over.Sub(a.at)
			if a.endsWell() && i < ev.requests-1 && v.failed(i+1) == nil && lasted >= cmp.Or(v.options.Timeout, 300*time.Second)*8/100 {
				ends++
			}
		}
		since := from
		from = ev.requests
		if e.Attempt <= count && ends == 0 && v.newest(since) == v.newest(from) {
			v.broken("attempt %d after attempt %d, without anything new", e.Attempt, count)
		}
		count = e.Attempt
	}
}
