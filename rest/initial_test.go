package rest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// initialFrames asks for a watch that begins with what there is.
func initialFrames(t *testing.T, e rest.Endpoint) (*rest.Frames, error) {
	t.Helper()
	frames, err := e.Watch(t.Context(), rest.WatchOptions{Initial: true, Timeout: 5 * time.Minute})
	if err == nil {
		t.Cleanup(frames.Close)
	}
	return frames, err
}

func endOfInitial(version, value string) string {
	return `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"` + version +
		`","annotations":{"k8s.io/initial-events-end":` + value + `}}}}` + "\n"
}

// The first bookmark that says so ends the initial events, and no other frame does.
func TestEndOfInitialEvents(t *testing.T) {
	body := podEvent("ADDED", "a", "2") + endOfInitial("3", `"false"`) + endOfInitial("3", `true`) + endOfInitial("3", `null`) +
		strings.Replace(endOfInitial("3", `"true"`), "BOOKMARK", "MODIFIED", 1) + endOfInitial("4", `"true"`) + endOfInitial("5", `"true"`)
	e, w := podsAt(t, rest.CallOptions{}, says(http.StatusOK, body))
	frames, err := initialFrames(t, e)
	if err != nil {
		t.Fatal(err)
	}
	var ends []string
	for {
		f, err := frames.Next()
		if err != nil {
			break
		}
		if f.EndOfInitial {
			ends = append(ends, f.ResourceVersion)
		}
	}
	if fmt.Sprint(ends) != "[4]" {
		t.Errorf("the initial events end at %v, want once at 4", ends)
	}
	const want = "GET pods?allowWatchBookmarks=true&resourceVersion=&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=300&watch=true"
	if got := w.arrived()[0]; got != want {
		t.Errorf("it asks for %s, want %s", got, want)
	}
}

// A refusal of the parameters means that the server cannot stream lists of this resource, for an
// hour; other refusals do not.
func TestServersThatCannotStreamLists(t *testing.T) {
	for code, cannot := range map[int]bool{422: true, 400: true, 401: false, 403: false, 404: false, 410: false, 429: false, 500: false, 504: false} {
		synctest.Test(t, func(t *testing.T) {
			e, _ := podsAt(t, rest.CallOptions{}, says(code, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no"}`))
			if !e.Streams() {
				t.Error("nothing is known about the server yet")
			}
			_, err := initialFrames(t, e)
			if errors.Is(err, rest.ErrNoStreaming) != cannot || !errors.As(err, new(*rest.StatusError)) || e.Streams() == cannot {
				t.Errorf("%d: %v, and streams: %v", code, err, e.Streams())
			}
			if time.Sleep(time.Hour - time.Second); cannot && e.Streams() {
				t.Errorf("%d: it is forgotten too soon", code)
			}
			if time.Sleep(time.Second); !e.Streams() {
				t.Errorf("%d: it is not forgotten", code)
			}
		})
	}
	if (rest.Endpoint{}).Streams() {
		t.Error("no endpoint streams")
	}
}

// The end of the initial events has to come within a minute, or ten seconds after the last frame.
// The time between two reads does not count. Afterwards, only the timeout of the watch counts.
func TestPatienceForInitialEvents(t *testing.T) {
	added, end := podEvent("ADDED", "a", "2"), endOfInitial("4", `"true"`)
	for name, c := range map[string]struct {
		answer reply
		pause  time.Duration // before each read
		lasts  time.Duration
		want   error
	}{
		"no headers":       {silent, 0, time.Minute, rest.ErrNoStreaming},
		"nothing":          {paced(forever), 0, time.Minute, rest.ErrNoStreaming},
		"late":             {paced(55*time.Second, added, forever), 0, 65 * time.Second, rest.ErrNoStreaming},
		"early":            {paced(time.Second, added, forever), 0, time.Minute, rest.ErrNoStreaming},
		"changes":          {paced(added, 30*time.Second, podEvent("MODIFIED", "a", "3"), 25*time.Second, podEvent("DELETED", "a", "4"), forever), 0, time.Minute, rest.ErrNoStreaming},
		"a slow reader":    {paced(time.Second, added, forever), time.Minute, 3 * time.Minute, rest.ErrNoStreaming},
		"an end":           {paced(time.Second, end, forever), 0, 305 * time.Second, rest.ErrOverdue},
		"an end, and more": {paced(time.Second, end, 200*time.Second, added, forever), 0, 305 * time.Second, rest.ErrOverdue},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _ := podsAt(t, rest.CallOptions{}, c.answer)
				began := time.Now()
				frames, err := initialFrames(t, e)
				for err == nil {
					time.Sleep(c.pause)
					_, err = frames.Next()
				}
				if took := time.Since(began); !errors.Is(err, c.want) || errors.Is(err, io.EOF) || took != c.lasts {
					t.Errorf("it ends with %v after %v, want %v after %v", err, took, c.want, c.lasts)
				}
				if e.Streams() == errors.Is(c.want, rest.ErrNoStreaming) {
					t.Errorf("streams: %v", e.Streams())
				}
			})
		})
	}
}
