package rest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// hostile are texts that break out of a line, or fill a log.
var hostile = map[string]string{
	"lines":     "first\nsecond\r\nthird\u2028fourth\u0085fifth",
	"terminal":  "\x1b[2J\x1b]0;title\x07\u009b31mred\x1b[0m",
	"controls":  "a\x00b\x08c\x7fd\u0080e\u202ef\u2066g",
	"bytes":     "a\xff\xfeb\xc3",
	"long":      strings.Repeat("long ", 5<<10),
	"one word":  strings.Repeat("x", 100<<10),
	"web page":  "<!DOCTYPE html>\n<html>\n<body>\n" + strings.Repeat("<p>sorry</p>\n", 1<<10),
	"long line": strings.Repeat("\n", 20<<10) + "end",
}

// isLine reports why a text is not one bounded, printable line, "" if it is.
func isLine(text string) string {
	const most = 4<<10 + len("...")
	switch {
	case len(text) > most:
		return fmt.Sprintf("it has %d bytes", len(text))
	case !utf8.ValidString(text):
		return "it is not UTF-8"
	case strings.ContainsFunc(text, func(r rune) bool {
		return r != ' ' && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
	}):
		return "it has characters that are not shown"
	}
	return ""
}

// Every error is one bounded line of what can be shown, whoever wrote the text in it.
func TestEveryErrorIsOneLine(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			for where, err := range hostileErrors(t, text) {
				if err == nil {
					t.Errorf("%s: there is no error", where)
					continue
				}
				for _, shown := range []string{err.Error(), fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err)} {
					if why := isLine(shown); why != "" {
						t.Errorf("%s: %s: %.200q", where, why, shown)
						break
					}
				}
			}
		})
	}
}

// hostileErrors returns an error of every source of texts.
func hostileErrors(t *testing.T, text string) map[string]error {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	errs := map[string]error{}
	get := func(where string, h http.HandlerFunc, change func(*rest.CallOptions)) {
		c := serve(t, h, kubeconfig.Config{})
		pods := rest.For[Pod](c, "Pod").In("default")
		o := rest.CallOptions{}
		if change != nil {
			change(&o)
		}
		errs[where] = errOf(pods.With(o).Get(t.Context(), "web"))
		_, errs[where+", list"] = stream.Await(pods.With(o).List(t.Context(), rest.ListOptions{}))
		_, errs[where+", Do"] = stream.Await(c.Do(t.Context(), rest.Request{Path: "/x"}))
		if d, err := stream.Await(c.Discover(t.Context())); err != nil {
			errs[where+", discovery"] = err
		} else {
			_, errs[where+", discovery"] = d.Lookup("Widget")
		}
	}
	body := func(code int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":%[1]s,"message":%[1]s,"details":{"name":%[1]s,"causes":[{"message":%[1]s}]}}`
	get("status", body(http.StatusForbidden, "application/json", fmt.Sprintf(status, quoted)), nil)
	get("status of an unknown code", body(http.StatusTeapot, "application/json", strings.Replace(fmt.Sprintf(status, quoted), "403", "0", 1)), nil)
	get("text", body(http.StatusBadGateway, "text/html", text), nil)
	get("retries", body(http.StatusServiceUnavailable, "text/plain", text), func(o *rest.CallOptions) {
		o.Retry = stream.Backoff{Initial: 1, Max: 1, MaxRetries: 2}
	})
	errs["raw answer"] = rawAnswer(t, text+"\r\n\r\n")
	errs["raw status line"] = rawAnswer(t, "HTTP/1.1 500 "+text+"\r\n\r\n")
	errs["raw header"] = rawAnswer(t, "HTTP/1.1 200 OK\r\n"+text+"\r\n\r\n")
	errs["length"] = rawAnswer(t, "HTTP/1.1 200 OK\r\nContent-Length: "+text+"\r\n\r\n")

	c := serve(t, http.NotFoundHandler(), kubeconfig.Config{})
	_, errs["name"] = stream.Await(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), text+"/\n"))
	_, errs["namespace"] = stream.Await(rest.For[Pod](c, "Pod").In(text+"/").Get(t.Context(), "x"))
	_, errs["kind"] = stream.Await(rest.For[Pod](c, text).Get(t.Context(), "x"))
	_, errs["labels"] = rest.ParseLabels(text + "=(")
	_, errs["fields"] = rest.ParseFields(text)
	_, errs["path"] = stream.Await(c.Do(t.Context(), rest.Request{Path: "/" + text + "/../%zz"}))
	_, errs["method"] = stream.Await(c.Do(t.Context(), rest.Request{Method: "G " + text, Path: "/x"}))
	_, errs["decode"] = rest.Decode[Pod]([]byte(`{"metadata":{"labels":{` + string(quoted) + `:1}}}`))
	_, errs["undecoded"] = listUndecoded(t, string(quoted))
	errs["discovery error"] = &rest.DiscoveryError{Group: text, Version: text, Err: errors.New(text)}
	errs["status error"] = &rest.StatusError{Op: text, Resource: text, Object: text, Status: rest.Status{Reason: text, Message: text}}
	for where, load := range map[string]string{"kubeconfig": text, "kubeconfig kind": `{"kind":` + string(quoted) + `}`, "kubeconfig context": `{"contexts":[{"name":"a"}],"current-context":` + string(quoted) + `}`} {
		_, errs[where] = kubeconfig.Parse([]byte(load), kubeconfig.Options{})
	}
	_, errs["kubeconfig path"] = kubeconfig.Load(kubeconfig.Options{Path: filepath.Join(t.TempDir(), strings.ReplaceAll(text, "\x00", "")[:min(200, len(text)-5)])})
	_, errs["server"] = rest.New(kubeconfig.Config{Server: "ftp://h/" + text}, rest.Options{})
	_, errs["plugin version"] = rest.New(kubeconfig.Config{Server: "https://h", Exec: &kubeconfig.Exec{APIVersion: text, Command: "x"}}, rest.Options{})
	p := newProgram(t, "")
	p.file("fail", "x")
	p.file("stderr", text)
	errs["plugin"] = together(t, serve(t, &doorman{}, kubeconfig.Config{Exec: p.exec()}), 1)
	p = newProgram(t, `{"kind":`+string(quoted)+`,"apiVersion":"v1"}`)
	errs["plugin kind"] = together(t, serve(t, &doorman{}, kubeconfig.Config{Exec: p.exec()}), 1)
	x := p.exec()
	x.Command, x.InstallHint = "no-such-program", text
	errs["install hint"] = together(t, serve(t, &doorman{}, kubeconfig.Config{Exec: x}), 1)
	return errs
}

// listUndecoded returns the error of an object with this name that does not decode.
func listUndecoded(t *testing.T, name string) (*rest.List[Pod], error) {
	t.Helper()
	c, _ := scripted(t, ok(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":`+name+`,"namespace":`+name+`,"uid":5}}]}`),
		ok(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":`+name+`},"spec":5}]}`))
	pods := rest.For[Pod](c, "Pod")
	if _, err := stream.Await(pods.List(t.Context(), rest.ListOptions{})); err == nil {
		t.Error("a uid that is a number decodes")
	}
	l, err := stream.Await(pods.List(t.Context(), rest.ListOptions{KeepGoing: true}))
	if err != nil {
		return nil, err
	}
	return l, l.Undecoded[0]
}

// rawAnswer returns the error of a request that is answered with these bytes.
func rawAnswer(t *testing.T, text string) error {
	t.Helper()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	defer func() {
		_ = l.Close()
		<-served
	}()
	c, err := rest.New(kubeconfig.Config{Server: "http://" + l.Addr().String()}, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	return errOf(rest.For[Pod](c, "Pod").In("default").Get(t.Context(), "web"))
}

// A warning is one line too.
func TestWarningsAreOneLine(t *testing.T) {
	warnings := make(chan rest.Warning, 1)
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Warning", "299 - \"a\u202eb\u2028c\u009b31md"+strings.Repeat("e", 10<<10)+"\"")
		_, _ = io.WriteString(w, pod("web", "1"))
	}), kubeconfig.Config{})
	_, err := one(t, rest.For[Pod](c, "Pod").In("default").With(rest.CallOptions{Warnings: warnings}).Get(t.Context(), "web"))
	if err != nil {
		t.Fatal(err)
	}
	if w := <-warnings; isLine(w.Text) != "" || !strings.HasPrefix(w.Text, "ab cde") {
		t.Errorf("%s: %.60q", isLine(w.Text), w.Text)
	}
}
