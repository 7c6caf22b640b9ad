package fakeapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/fakeapi/internal/value"
	"github.com/tideway-go/tideway/rest"
)

// answer is what a handler answers with.
type answer interface{ write(w *response) }

// objectAnswer is an object.
type objectAnswer struct {
	code int
	res  *resource
	obj  *object
}

func (a objectAnswer) write(w *response) {
	switch {
	case w.view.list && a.res.custom:
		statusAnswer{internal("content is not a list")}.write(w)
	case w.view.list:
		notAcceptable("you requested PartialObjectMetadataList, but the requested object is not a list (%s)", a.res.internalType("")).write(w)
	default:
		writeBody(w, a.code, jsonContent, w.view.raw(a.obj, a.res))
	}
}

// pageAnswer is a list, or a page of one.
type pageAnswer struct {
	res  *resource
	page *page
}

func (a pageAnswer) write(w *response) {
	if w.view.version != "" && !w.view.list {
		notAcceptable("you requested PartialObjectMetadata, but the requested object is a list (%s)", a.res.internalType("List")).write(w)
		return
	}
	writeBody(w, http.StatusOK, jsonContent, w.view.rawPage(a.page, a.res))
}

func notAcceptable(format, typ string) statusAnswer {
	return statusAnswer{failure(http.StatusNotAcceptable, rest.ReasonNotAcceptable, strings.Replace(format, "%s", typ, 1), nil)}
}

// statusAnswer is a Status, of a failure or of a success.
type statusAnswer struct{ *rest.Status }

func (a statusAnswer) write(w *response) {
	code := a.Code
	if code == 0 {
		code = http.StatusOK
	}
	if d := a.Details; d != nil && d.RetryAfterSeconds > 0 && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", strconv.Itoa(int(d.RetryAfterSeconds)))
	}
	writeBody(w, code, jsonContent, statusBody(a.Status))
}

// documentAnswer is a document of discovery or the like.
type documentAnswer struct {
	contentType string
	raw         []byte
}

func (a documentAnswer) write(w *response) { writeBody(w, http.StatusOK, a.contentType, a.raw) }

// textAnswer is plain text.
type textAnswer string

func (a textAnswer) write(w *response) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a))
}

// notFoundText answers for a path that nothing is known about.
var notFoundText answer = noSuchPage{}

// noSuchPage is the 404 of package net/http.
type noSuchPage struct{}

func (noSuchPage) write(w *response) { http.Error(w, "404 page not found", http.StatusNotFound) }

const jsonContent = "application/json"

// statusBody is a Status as kube-apiserver writes it.
func statusBody(st *rest.Status) []byte { return value.Encode(st) }

// writeBody answers with one JSON value and a line feed.
func writeBody(w http.ResponseWriter, code int, contentType string, raw []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)+1))
	w.WriteHeader(code)
	_, _ = w.Write(append(slices.Clip(raw), '\n'))
}
