package rest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// readItems reads a whole list.
func readItems(r io.Reader) ([]string, *rest.ItemReader, error) {
	items := rest.NewItemReader(r, 32<<20)
	var all []string
	for {
		v, err := items.Next()
		if err != nil {
			if _, again := items.Next(); again != err { //nolint:errorlint // the identical error
				return all, items, errors.New("the error does not stay")
			}
			return all, items, err
		}
		all = append(all, string(v))
	}
}

func TestItemReader(t *testing.T) {
	left := int64(3)
	meta := rest.ListMeta{ResourceVersion: "7", Continue: "c", RemainingItemCount: &left}
	const metadata = `"metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":3,"selfLink":""}`
	two := []string{`{"a":1}`, `{"b":[{}]}`}
	for name, test := range map[string]struct {
		text  string
		items []string
		meta  rest.ListMeta
		kind  string
	}{
		"usual order":    {`{"kind":"PodList","apiVersion":"v1",` + metadata + `,"items":[{"a":1},{"b":[{}]}]}`, two, meta, "PodList"},
		"items first":    {`{"items":[{"a":1},{"b":[{}]}],` + metadata + `,"apiVersion":"v1","kind":"PodList"}`, two, meta, "PodList"},
		"white space":    {" {\n \"items\" : [ {\"a\":1} ,\n{\"b\":[{}]} ] ,\"x\":[1,{}]}\n ", two, rest.ListMeta{}, ""},
		"no items":       {`{"kind":"PodList",` + metadata + `}`, nil, meta, "PodList"},
		"null items":     {`{"items":null}`, nil, rest.ListMeta{}, ""},
		"empty items":    {`{"items":[],"metadata":null}`, nil, rest.ListMeta{}, ""},
		"invalid UTF-8":  {"{\"items\":[{\"a\":\"\xff\"}]}", []string{"{\"a\":\"\xff\"}"}, rest.ListMeta{}, ""},
		"names twice":    {`{"items":[{"a":1,"a":2}]}`, []string{`{"a":1,"a":2}`}, rest.ListMeta{}, ""},
		"escaped member": {`{"it\u0065ms":[{}]}`, []string{"{}"}, rest.ListMeta{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(test.text), iotest.OneByteReader(strings.NewReader(test.text))} {
				got, items, err := readItems(r)
				if err != io.EOF { //nolint:errorlint // the bare one
					t.Fatal(err)
				}
				if d := cmp.Diff(test.items, got); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff(test.meta, items.Meta()); d != "" {
					t.Error(d)
				}
				if items.Kind() != test.kind {
					t.Errorf("kind is %q", items.Kind())
				}
			}
		})
	}
}

func TestBadList(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "unexpected EOF",
		"[]":                                   "not a JSON object",
		"null":                                 "not a JSON object",
		"<html>":                               "invalid character",
		`{"items":[{"a":1},`:                   "unexpected EOF",
		`{"items":[{"a":`:                      "unexpected EOF",
		`{"items":[{"a":1}]`:                   "unexpected EOF",
		`{"items":[{"a":1}}`:                   "invalid character",
		`{"items":[1]}`:                        "items[0] is not an object",
		`{"items":[{},null]}`:                  "items[1] is not an object",
		`{"items":{}}`:                         "items is not an array",
		`{"kind":"Pod","metadata":{}}`:         `not a list, but a Pod`,
		`{}`:                                   "not a list: it has no items",
		`{"items":[]}{}`:                       "unexpected data after the list",
		`{"items":[]}x`:                        "invalid character",
		`{"kind":1}`:                           "kind is not a string",
		`{"metadata":{"continue":1}}`:          "metadata of the list",
		`{"kind":"Status","status":"Success"}`: `not a list, but a Status of Success`,
		`{"kind":"Status","status":"Failure","message":"gone","reason":"Expired","code":410}`: "expired (410): gone",
		`{"status":"Failure","message":"gone","code":410,"kind":"Status"}`:                    "expired (410): gone",
	} {
		_, _, err := readItems(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %s", text, err, want)
		}
	}
}

// The error of the reader is returned unchanged.
func TestListBreaksOff(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := readItems(io.MultiReader(strings.NewReader(`{"items":[{},{"a":`), iotest.ErrReader(broken)))
	if err != broken { //nolint:errorlint // as it is
		t.Errorf("error is %v", err)
	}
}

func FuzzItemReader(f *testing.F) {
	f.Add([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"a":1},{"b":[{}]}]}`))
	f.Add([]byte(`{"items":[{}],"metadata":{"continue":"x"}}`))
	f.Add([]byte(`{"kind":"Status","status":"Failure","code":410,"details":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, items, err := readItems(bytes.NewReader(raw))
		slow, slowItems, slowErr := readItems(iotest.OneByteReader(bytes.NewReader(raw)))
		if (err == io.EOF) != (slowErr == io.EOF) { //nolint:errorlint // the bare one
			t.Fatalf("%v at once, %v byte by byte", err, slowErr)
		}
		if d := cmp.Diff(got, slow); d != "" {
			t.Error(d)
		}
		if err != io.EOF { //nolint:errorlint // the bare one
			return
		}
		if d := cmp.Diff(items.Meta(), slowItems.Meta()); d != "" {
			t.Error(d)
		}
		o, err2 := rest.Decode[rest.Object](raw)
		if err2 != nil {
			if !strings.Contains(err2.Error(), "out of range") {
				t.Fatalf("%q is a list, and no object: %v", raw, err2)
			}
			return
		}
		if n := len(o.Slice("items")); n > len(got) {
			t.Errorf("%d of %d items", len(got), n)
		}
	})
}

// The items of a page arrive before the page is complete.
func TestEachStreams(t *testing.T) {
	more := make(chan struct{})
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"a"}},`)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, `{"metadata":{"name":"b"}}]}`)
	}), kubeconfig.Config{})
	pods := rest.For[Pod](c, "Pod").Each(t.Context(), rest.ListOptions{})
	if r := <-pods; r.Err != nil || r.Value.Metadata.Name != "a" {
		t.Fatalf("got %+v", r)
	}
	close(more)
	if r := <-pods; r.Err != nil || r.Value.Metadata.Name != "b" {
		t.Fatalf("got %+v", r)
	}
	if r, open := <-pods; open {
		t.Fatalf("got %+v", r)
	}
}

// Cancelling ends the download even if nobody reads.
func TestEachIsLeft(t *testing.T) {
	gone := make(chan struct{})
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		_, _ = io.WriteString(w, `{"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), kubeconfig.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	pods := rest.For[Pod](c, "Pod").Each(ctx, rest.ListOptions{})
	<-pods
	cancel()
	<-gone
	for r := range pods {
		if r.Err != nil {
			t.Errorf("got %v", r.Err)
		}
	}
}

func TestPages(t *testing.T) {
	c, s := scripted(t, page("100", "T1", "a"), page("100", "T2"), page("100", "", "b"))
	list, err := one(t, rest.For[Pod](c, "Pod").List(t.Context(), rest.ListOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b"}, names(list.Items)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(rest.ListMeta{ResourceVersion: "100"}, list.Meta); d != "" {
		t.Error(d)
	}
	want := []string{"/api/v1/pods?limit=500", "/api/v1/pods?continue=T1&limit=500", "/api/v1/pods?continue=T2&limit=500"}
	if d := cmp.Diff(want, uris(s)); d != "" {
		t.Error(d)
	}
}

// turns repeats answers.
func turns(answers ...answer) []answer { return slices.Repeat(answers, 10) }

// emptyPages are pages without items, with new tokens.
func emptyPages(n int) []answer {
	pages := make([]answer, 0, n)
	for i := range n {
		pages = append(pages, page("1", fmt.Sprint("T", i)))
	}
	return pages
}

func TestListErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answers []answer
		want    string
	}{
		"cut off":            {[]answer{ok(`{"items":[{}`)}, "list pods: reading the list: jsontext: unexpected EOF within \"/items\""},
		"bad item":           {[]answer{ok(`{"items":[{},{"metadata":5}]}`)}, "list pods: reading the list: items[1]: "},
		"one object":         {[]answer{ok(pod("a", "1"))}, `list pods: reading the list: not a list, but a Pod`},
		"same page for ever": {[]answer{page("1", "T", "a"), page("1", "T", "a")}, "list pods: the list does not end: the server repeats a continue token"},
		"two pages in turns": {turns(page("1", "T", "a"), page("1", "U", "b")), "list pods: the list does not end: the server repeats a continue token"},
		"a late circle":      {append([]answer{page("1", "0"), page("1", "1", "a"), page("1", "2", "b")}, turns(page("1", "T", "c"), page("1", "U", "d"), page("1", "V", "e"))...), "list pods: the list does not end: the server repeats a continue token"},
		"a huge token":       {[]answer{page("1", strings.Repeat("x", 33<<10), "a")}, "list pods: the server's continue token is longer than 32768 bytes"},
		"empty pages":        {emptyPages(20), "list pods: the list does not end: 10 pages in a row were empty"},
		"second page fails":  {[]answer{page("1", "T", "a"), refuse(500, "InternalError", "x")}, "list pods: internal error (500): x"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := scripted(t, test.answers...)
			_, err := one(t, rest.For[Pod](c, "Pod").List(t.Context(), rest.ListOptions{}))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error is %v, want %s", err, test.want)
			}
			c, _ = scripted(t, test.answers...)
			_, err = stream.Collect(t.Context(), rest.For[Pod](c, "Pod").Each(t.Context(), rest.ListOptions{}))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error of Each is %v, want %s", err, test.want)
			}
		})
	}
}
