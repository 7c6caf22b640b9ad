package rest_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// resentRow is a row of the table of the requests that are sent again.
type resentRow struct {
	run  func(t *testing.T, w *wire) error
	want []string // the requests that arrive at the server
	err  error    // the error at the end
}

// resentRows has the rows about requests, by their name on the page.
func resentRows() map[string]resentRow {
	rows := map[string]resentRow{}
	for _, part := range []map[string]resentRow{
		resentByNetwork, resentWithCredentials, resentForDiscovery, resentByVerb, resentByRetry, resentNever,
	} {
		maps.Copy(rows, part)
	}
	return rows
}

// The page lists all requests that are sent again, and no others: each row is tested.
func TestResent(t *testing.T) {
	rows := resentRows()
	if d := cmp.Diff(slices.Sorted(maps.Keys(rows)), resentTable(t)); d != "" {
		t.Errorf("the rows of the page are others (-test +page)\n%s", d)
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			w := &wire{}
			err := row.run(t, w)
			if !errors.Is(err, row.err) {
				t.Errorf("it ends with %v, want %v", err, row.err)
			}
			if d := cmp.Diff(row.want, w.arrived()); d != "" {
				t.Errorf("what arrives (-want +got)\n%s", d)
			}
		})
	}
}

// resentTable returns the first column of the table in the docs, sorted.
func resentTable(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n### Requests\n")
	if !found {
		t.Fatal("the page has no table of requests")
	}
	table, _, _ = strings.Cut(table, "\n#")
	var names []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && len(cells) == 3 {
			names = append(names, strings.TrimPrefix(cells[0], "| "))
		}
	}
	names = names[1:] // the head
	slices.Sort(names)
	return names
}

// wire is a server that gives answers in order, and records the requests.
type wire struct {
	mu      sync.Mutex
	sent    []string
	answers []reply
}

// reply is the answer to one request.
type reply = func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	w.note(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.answers) == 0 {
		return nil, errors.New("one request too many")
	}
	next := w.answers[0]
	w.answers = w.answers[1:]
	return next(r)
}

// note records a request: "GET pods/web", "GET /apis".
func (w *wire) note(r *http.Request) {
	line := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/default/")
	if q := r.URL.Query(); r.Method == http.MethodGet && len(q) > 0 {
		line += "?" + q.Encode()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, line)
}

func (w *wire) arrived() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// says returns an answer with headers such as "Retry-After: 2".
func says(code int, body string, header ...string) reply {
	return func(r *http.Request) (*http.Response, error) {
		resp := &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
		for _, h := range header {
			name, value, _ := strings.Cut(h, ": ")
			resp.Header.Set(name, value)
		}
		return resp, nil
	}
}

// saysWeb answers with the pod.
func saysWeb() reply {
	return says(http.StatusOK, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","resourceVersion":"1"}}`)
}

// saysNo answers with a refusal.
func saysNo(code int, reason string, header ...string) reply {
	return says(code, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"`+reason+`","message":"no"}`, header...)
}

// breaks fails as if the connection had broken.
func breaks(*http.Request) (*http.Response, error) { return nil, errBroken }

// breaksOff answers with a body that breaks off.
func breaksOff(body string) reply {
	return func(r *http.Request) (*http.Response, error) {
		resp, err := says(http.StatusOK, body)(r)
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, iotest.ErrReader(errBroken)))
		return resp, err
	}
}

var errBroken = errors.New("the connection broke")

// resentVerb is the request of a row.
type resentVerb = func(ctx context.Context, pods rest.Resource[rest.Object]) error

func createWeb(ctx context.Context, pods rest.Resource[rest.Object]) error {
	_, err := stream.Await(pods.Create(ctx, &rest.Object{"metadata": map[string]any{"name": "web"}}))
	return err
}

func getWeb(ctx context.Context, pods rest.Resource[rest.Object]) error {
	_, err := stream.Await(pods.Get(ctx, "web"))
	return err
}

func listPods(ctx context.Context, pods rest.Resource[rest.Object]) error {
	_, err := stream.Await(pods.List(ctx, rest.ListOptions{}))
	return err
}

func eachPod(ctx context.Context, pods rest.Resource[rest.Object]) error {
	_, err := stream.Collect(ctx, pods.Each(ctx, rest.ListOptions{}))
	return err
}

func modifyWeb(ctx context.Context, pods rest.Resource[rest.Object]) error {
	_, err := stream.Await(pods.Modify(ctx, "web", func(o *rest.Object) error {
		(*o)["spec"] = map[string]any{"nodeName": "n"}
		return nil
	}))
	return err
}

func evictWeb(ctx context.Context, pods rest.Resource[rest.Object]) error {
	_, err := stream.Await(rest.Evict(ctx, pods, "web", rest.DeleteOptions{}))
	return err
}

// scriptedRow returns a row whose server gives these answers. It runs in a bubble, where delays
// take no time.
func scriptedRow(o rest.Options, kind string, do resentVerb, err error, want []string, answers ...reply) resentRow {
	return resentRow{want: want, err: err, run: func(t *testing.T, w *wire) (err error) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			w.answers, o.Transport = answers, w
			client, failed := rest.New(kubeconfig.Config{Server: "http://localhost"}, o)
			if failed != nil {
				t.Fatal(failed)
			}
			err = do(t.Context(), rest.For[rest.Object](client, kind).In("default"))
		})
		return err
	}}
}

const (
	firstPage = `{"kind":"PodList","metadata":{"resourceVersion":"1","continue":"more"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`
	wholeList = `{"kind":"PodList","metadata":{"resourceVersion":"2"},"items":[]}`
)

// resentByVerb has the rows of List and Modify.
var resentByVerb = map[string]resentRow{
	"`List`: 410 between two pages": scriptedRow(rest.Options{}, "Pod", listPods, nil,
		[]string{"GET pods?limit=500", "GET pods?continue=more&limit=500", "GET pods"},
		says(200, firstPage), saysNo(410, "Expired"), says(200, wholeList)),
	"`Modify`: 409, the object has another version": scriptedRow(rest.Options{}, "Pod", modifyWeb, rest.ErrConflict,
		slices.Repeat([]string{"GET pods/web", "PATCH pods/web"}, 6),
		slices.Repeat([]reply{saysWeb(), saysNo(409, "Conflict")}, 6)...),
}

// patient retries three times.
var patient = rest.Options{Defaults: rest.CallOptions{Retry: stream.Backoff{MaxRetries: 3}}}

// resentByRetry has the rows of CallOptions.Retry.
var resentByRetry = map[string]resentRow{
	"`Retry`: a read that got no answer, or a part of one": scriptedRow(patient, "Pod", getWeb, nil,
		slices.Repeat([]string{"GET pods/web"}, 3), breaks, breaksOff(`{"kind":"Pod",`), saysWeb()),
	"`Retry`: a read that is answered with 429, 500, 502, 503 or 504": scriptedRow(patient, "Pod", func(ctx context.Context, pods rest.Resource[rest.Object]) error {
		return errors.Join(getWeb(ctx, pods), listPods(ctx, pods))
	}, nil,
		slices.Concat(slices.Repeat([]string{"GET pods/web"}, 4), slices.Repeat([]string{"GET pods?limit=500"}, 3)),
		saysNo(429, ""), saysNo(500, ""), saysNo(502, ""), saysWeb(), saysNo(503, ""), saysNo(504, ""), says(200, wholeList)),
	"`Retry`: a write that is refused with 429 or 503 and a `Retry-After`": scriptedRow(patient, "Pod", createWeb, nil,
		slices.Repeat([]string{"POST pods"}, 3),
		saysNo(429, "", "Retry-After: 20"), saysNo(503, "", "Retry-After: 1"), saysWeb()),
}

// resentNever has the rows of the requests that are never sent again.
var resentNever = map[string]resentRow{
	"without `Retry`: any other failure": scriptedRow(rest.Options{}, "Pod", func(ctx context.Context, pods rest.Resource[rest.Object]) error {
		return errors.Join(getWeb(ctx, pods), listPods(ctx, pods), createWeb(ctx, pods))
	}, errBroken,
		[]string{"GET pods/web", "GET pods?limit=500", "POST pods"},
		breaks, saysNo(503, "", "Retry-After: 1"), saysNo(429, "", "Retry-After: 1")),
	"`Retry`: a read whose answer was not asked for, or does not decode": scriptedRow(patient, "Pod", func(ctx context.Context, pods rest.Resource[rest.Object]) error {
		return errors.Join(getWeb(ctx, pods), listPods(ctx, pods), errOf(rest.ForKind[map[string]string](pods.Endpoint().Client(), pods.Endpoint().Kind()).In("default").List(ctx, rest.ListOptions{})))
	}, rest.ErrAnswer,
		[]string{"GET pods/web", "GET pods?limit=500", "GET pods?limit=500"},
		says(200, "<html>"), says(200, "<html>"), says(200, `{"items":[{"metadata":{"name":"a"}}]}`)),
	"`Retry`: a write that got no answer, or another one": scriptedRow(patient, "Pod", func(ctx context.Context, pods rest.Resource[rest.Object]) error {
		return errors.Join(createWeb(ctx, pods), createWeb(ctx, pods), createWeb(ctx, pods), createWeb(ctx, pods))
	}, errBroken,
		slices.Repeat([]string{"POST pods"}, 4),
		breaks, saysNo(500, "", "Retry-After: 1"), saysNo(504, "", "Retry-After: 1"), saysNo(503, "")),
	"`Retry`: a `Retry-After` of more than five minutes": scriptedRow(patient, "Pod", getWeb, rest.ErrServiceUnavailable,
		[]string{"GET pods/web"}, saysNo(503, "", "Retry-After: 301")),
	"`Retry`: an eviction that a disruption budget forbids": scriptedRow(patient, "Pod", evictWeb, rest.ErrDisruptionBudget,
		[]string{"POST pods/web/eviction"},
		says(429, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429,"details":{"causes":[{"reason":"DisruptionBudget"}]}}`, "Retry-After: 10")),
	"`Retry`: `Each`, in a page of which an object was delivered": scriptedRow(patient, "Pod", eachPod, errBroken,
		[]string{"GET pods?limit=500"}, breaksOff(`{"kind":"PodList","items":[{"metadata":{"name":"a"}},`)),
	"`Each`: 410 between two pages": scriptedRow(patient, "Pod", eachPod, rest.ErrExpired,
		[]string{"GET pods?limit=500", "GET pods?continue=more&limit=500"}, says(200, firstPage), saysNo(410, "Expired")),
}
