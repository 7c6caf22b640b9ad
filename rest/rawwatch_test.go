package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// podEvent returns the JSON of an event about a pod.
func podEvent(typ, name, version string) string {
	return `{"type":"` + typ + `","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + name +
		`","namespace":"default","uid":"u-` + name + `","resourceVersion":"` + version + `"}}}` + "\n"
}

// watching opens a watch that lasts ten seconds, which must succeed.
func watching(t *testing.T, o rest.CallOptions, answer reply) *rest.Frames {
	t.Helper()
	e, _ := podsAt(t, o, answer)
	frames, err := e.Watch(t.Context(), rest.WatchOptions{ResourceVersion: "1", Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(frames.Close)
	return frames
}

func TestRawWatchFrames(t *testing.T) {
	const bookmark = `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"5"}}`
	body := podEvent("ADDED", "a", "2") + podEvent("MODIFIED", "a", "3") + podEvent("DELETED", "a", "4") + `{"type":"BOOKMARK","object":` + bookmark + `}`
	e, w := podsAt(t, rest.CallOptions{}, says(http.StatusOK, body))
	frames, err := e.Watch(t.Context(), rest.WatchOptions{
		Name: "a", LabelSelector: "app=web", FieldSelector: "spec.nodeName=n", ResourceVersion: "1", Timeout: 90 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	type seen struct{ Type, Namespace, Name, Kind, UID, ResourceVersion, JSON string }
	var got []seen
	for {
		f, err := frames.Next()
		if err != nil {
			if err != io.EOF { //nolint:errorlint // the bare one
				t.Errorf("it ended with %v, want a good end", err)
			}
			break
		}
		got = append(got, seen{f.Type, f.Key.Namespace, f.Key.Name, f.Key.Kind, f.UID, f.ResourceVersion, string(f.JSON)})
	}
	object := func(version string) string {
		return `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u-a","resourceVersion":"` + version + `"}}`
	}
	want := []seen{
		{"ADDED", "default", "a", "Pod", "u-a", "2", object("2")},
		{"MODIFIED", "default", "a", "Pod", "u-a", "3", object("3")},
		{"DELETED", "default", "a", "Pod", "u-a", "4", object("4")},
		{"BOOKMARK", "", "", "Pod", "", "5", bookmark},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	asked := []string{"GET pods?allowWatchBookmarks=true&fieldSelector=metadata.name%3Da%2Cspec.nodeName%3Dn&labelSelector=app%3Dweb" +
		"&resourceVersion=1&timeoutSeconds=90&watch=true"}
	if d := cmp.Diff(asked, w.arrived()); d != "" {
		t.Errorf("what was asked (-want +got)\n%s", d)
	}
}

// An ERROR carries a Status. Each call of Refusal returns an error that the caller may change.
func TestRawWatchRefusal(t *testing.T) {
	const expired = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"too old","code":410}`
	frames := watching(t, rest.CallOptions{}, says(http.StatusOK, `{"type":"ERROR","object":`+expired+`}{"type":"ERROR","object":{"code":"x"}}`))
	f, err := frames.Next()
	if err != nil || f.Type != "ERROR" || f.Key != (rest.Key{}) || f.UID != "" || f.ResourceVersion != "" {
		t.Fatalf("got %+v, %v, want an ERROR without identity", f, err)
	}
	first, err := f.Refusal()
	if err != nil || !errors.Is(first, rest.ErrExpired) || first.Error() != "watch pods default/*: expired (410): too old" {
		t.Fatalf("got %v, %v", first, err)
	}
	first.Status.Message = "changed"
	if second, err := f.Refusal(); err != nil || second == first || second.Status.Message != "too old" {
		t.Errorf("the second call returns %v, %v", second, err)
	}
	if f, err = frames.Next(); err != nil {
		t.Fatal(err)
	}
	if refused, err := f.Refusal(); refused != nil || !errors.Is(err, rest.ErrFrame) {
		t.Errorf("without a Status: %v, %v, want an ErrFrame", refused, err)
	}
}

func TestRawWatchEnds(t *testing.T) {
	first := podEvent("ADDED", "a", "2")
	large := podEvent("ADDED", strings.Repeat("x", 4000), "2")
	breaking := func(err error) reply {
		return func(r *http.Request) (*http.Response, error) {
			resp, _ := says(http.StatusOK, "")(r)
			resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(first), iotest.ErrReader(err)))
			return resp, nil
		}
	}
	goneAway := func(code string) error {
		return errors.New(`http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=` + code + `, debug=""`)
	}
	crashed := goneAway("INTERNAL_ERROR")
	faked := func(code, debug string) error {
		return fmt.Errorf("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=%s, debug=%q", code, debug)
	}
	lying := faked("INTERNAL_ERROR", `ErrCode=NO_ERROR`)
	quoting := faked("ENHANCE_YOUR_CALM", `", LastStreamID=1, ErrCode=NO_ERROR, debug="`)
	whole := faked("unknown error code 0x63", "\n"+faked("NO_ERROR", "").Error())
	elsewhere := errors.New("it says: " + faked("NO_ERROR", "").Error())
	for name, tt := range map[string]struct {
		answer reply
		want   []error // what the end matches
	}{
		"the end":                 {says(http.StatusOK, first), []error{io.EOF}},
		"an orderly GOAWAY":       {breaking(goneAway("NO_ERROR")), []error{io.EOF}},
		"a GOAWAY with a text":    {breaking(fmt.Errorf("reading: %w", faked("NO_ERROR", `"ErrCode=INTERNAL_ERROR`))), []error{io.EOF}},
		"a text like a code":      {breaking(lying), []error{lying}},
		"quotes in the text":      {breaking(quoting), []error{quoting}},
		"an error in the text":    {breaking(whole), []error{whole}},
		"an error that quotes":    {breaking(elsewhere), []error{elsewhere}},
		"a failing server":        {breaking(crashed), []error{crashed}},
		"a broken connection":     {breaking(errBroken), []error{errBroken}},
		"half an event":           {says(http.StatusOK, first+first[:30]), []error{io.ErrUnexpectedEOF}},
		"text":                    {says(http.StatusOK, first+"<html>"), []error{rest.ErrFrame}},
		"no object":               {says(http.StatusOK, first+`{"type":"ADDED"}`), []error{rest.ErrFrame}},
		"a name that is a number": {says(http.StatusOK, first+`{"type":"ADDED","object":{"metadata":{"name":1}}}`), []error{rest.ErrFrame}},
		"a large event":           {says(http.StatusOK, first+large), []error{rest.ErrFrame, rest.ErrTooLarge}},
	} {
		t.Run(name, func(t *testing.T) {
			frames := watching(t, rest.CallOptions{MaxObject: int64(len(large)) - 2}, tt.answer) // the line end is not counted
			if f, err := frames.Next(); err != nil || f.Key.Name != "a" {
				t.Fatalf("got %+v, %v, want the first event", f, err)
			}
			_, err := frames.Next()
			for _, want := range tt.want {
				if !errors.Is(err, want) {
					t.Errorf("it ended with %v, want %v", err, want)
				}
			}
			if len(tt.want) == 1 && tt.want[0] != rest.ErrFrame && err != tt.want[0] { //nolint:errorlint // the bare one
				t.Errorf("it ended with %v, want the bare cause", err)
			}
		})
	}
	t.Run("an event of the largest size", func(t *testing.T) {
		frames := watching(t, rest.CallOptions{MaxObject: int64(len(large)) - 1}, says(http.StatusOK, large))
		if _, err := frames.Next(); err != nil {
			t.Error(err)
		}
	})
}

// The server has five seconds after the timeout to end a watch. The time between two reads is not
// the server's.
func TestRawWatchOverdue(t *testing.T) {
	first, second := podEvent("ADDED", "a", "2"), podEvent("ADDED", "b", "3")
	for name, tt := range map[string]struct {
		answer  reply
		reads   time.Duration // how long the reader is busy with an event
		lasts   time.Duration
		overdue bool
	}{
		"nothing comes":         {paced(forever), 0, 15 * time.Second, true},
		"events do not help":    {paced(first, 8*time.Second, second, forever), 0, 15 * time.Second, true},
		"a late end is an end":  {paced(first, 14*time.Second), 0, 14 * time.Second, false},
		"a slow reader":         {paced(first, 8*time.Second, second, 6*time.Second), time.Hour, 2*time.Hour + 14*time.Second, false},
		"and a server as well":  {paced(first, 8*time.Second, second, forever), time.Hour, 2*time.Hour + 15*time.Second, true},
		"a reader past timeout": {paced(first, forever), time.Hour, time.Hour + 15*time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				frames := watching(t, rest.CallOptions{}, tt.answer)
				_, err := frames.Next()
				for err == nil {
					time.Sleep(tt.reads)
					_, err = frames.Next()
				}
				want := io.EOF
				if tt.overdue {
					want = rest.ErrOverdue
				}
				if err != want { //nolint:errorlint // the bare one
					t.Errorf("it ended with %v, want %v", err, want)
				}
				if d := time.Since(start); d != tt.lasts {
					t.Errorf("it took %v, want %v", d, tt.lasts)
				}
			})
		})
	}
	t.Run("no header", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, _ := podsAt(t, rest.CallOptions{}, silent)
			start := time.Now()
			_, err := e.Watch(t.Context(), rest.WatchOptions{ResourceVersion: "1", Timeout: 10 * time.Second})
			if d := time.Since(start); err != rest.ErrOverdue || d != 15*time.Second { //nolint:errorlint // the bare one
				t.Errorf("it ended with %v after %v, want ErrOverdue after 15s", err, d)
			}
		})
	})
}

// A stream has its own way to try again, so that a watch is not sent again whatever the handle
// says.
func TestRawWatchIsNotRetried(t *testing.T) {
	for name, first := range map[string]reply{
		"refused":       saysNo(http.StatusTooManyRequests, "TooManyRequests", "Retry-After: 1"),
		"no connection": breaks,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, w := podsAt(t, rest.CallOptions{Retry: stream.Backoff{MaxRetries: 3}}, first, says(http.StatusOK, ""))
				frames, err := e.Watch(t.Context(), rest.WatchOptions{ResourceVersion: "1", Timeout: time.Minute})
				if name == "refused" {
					if refused, ok := errors.AsType[*rest.StatusError](err); !ok || refused.Op != "watch" || refused.RetryAfter() != time.Second {
						t.Errorf("got %v, want a refusal", err)
					}
				} else if err != errBroken { //nolint:errorlint // the bare one
					t.Errorf("got %v, want the bare cause", err)
				}
				if n := len(w.arrived()); n != 1 || frames != nil {
					t.Errorf("%d requests arrived, want one", n)
				}
			})
		})
	}
}

func TestRawWatchEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		e, _ := podsAt(t, rest.CallOptions{}, paced(podEvent("ADDED", "a", "2"), forever))
		frames, err := e.Watch(ctx, rest.WatchOptions{ResourceVersion: "1", Timeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		defer frames.Close()
		if _, err := frames.Next(); err != nil {
			t.Error(err)
		}
		time.AfterFunc(time.Minute, func() { cancel(stop) })
		start := time.Now()
		if _, err := frames.Next(); err != stop || time.Since(start) != time.Minute { //nolint:errorlint // the bare one
			t.Errorf("it ended with %v after %v, want the cause after a minute", err, time.Since(start))
		}
	})
}
