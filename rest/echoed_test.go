package rest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
)

// ownToken is the token of these clients, with characters that are spelled in many ways.
const ownToken = "Hu/nter+2=token~of.the-client"

// echoes are answers of servers and proxies that repeat the credentials they were sent.
var echoes = map[string]func(w http.ResponseWriter, sent string){
	"status":  echoStatus(func(s string) string { return "cannot take " + s }),
	"percent": echoStatus(url.QueryEscape),
	"base64":  echoStatus(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }),
	"quoted":  echoStatus(func(s string) string { return fmt.Sprintf("%q", s) }),
	"long":    echoStatus(func(s string) string { return strings.Repeat("x", 20<<10) + s }),
	"page": func(w http.ResponseWriter, sent string) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, "Your request: Authorization: "+sent)
	},
	"page that is cut off": func(w http.ResponseWriter, sent string) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, strings.Repeat("x", 2<<10-20)+sent+strings.Repeat("x", 2<<10))
	},
	"page of success": func(w http.ResponseWriter, sent string) { _, _ = io.WriteString(w, "Authorization: "+sent) },
	"page of success that is cut off": func(w http.ResponseWriter, sent string) {
		_, _ = io.WriteString(w, strings.Repeat("x", 256-20)+sent+strings.Repeat("x", 1<<10))
	},
	"content type": func(w http.ResponseWriter, sent string) {
		w.Header().Set("Content-Type", sent)
		_, _ = io.WriteString(w, "x")
	},
	"redirect": func(w http.ResponseWriter, sent string) {
		w.Header().Set("Location", "/"+url.PathEscape(sent))
		w.WriteHeader(http.StatusFound)
	},
	"status of success": func(w http.ResponseWriter, sent string) { echoed(w, http.StatusOK, sent) },
	"malformed header": func(w http.ResponseWriter, sent string) {
		taken(w, "HTTP/1.1 200 OK\r\n"+sent+"\r\n\r\n")
	},
	"malformed length": func(w http.ResponseWriter, sent string) {
		taken(w, "HTTP/1.1 200 OK\r\nContent-Length: "+sent+"\r\n\r\n")
	},
	"malformed trailer": func(w http.ResponseWriter, sent string) {
		taken(w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"+sent+"\r\n\r\n")
	},
}

func echoStatus(spell func(string) string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, sent string) { echoed(w, http.StatusBadRequest, spell(sent)) }
}

// echoed writes a Status with a text in each place that people read.
func echoed(w http.ResponseWriter, code int, text string) {
	raw, err := json.Marshal(rest.Status{
		Kind: "Status", APIVersion: "v1", Status: rest.StatusFailure, Code: http.StatusBadRequest, Reason: text, Message: text,
		Details: &rest.StatusDetails{Causes: []rest.StatusCause{{Type: text, Message: text, Field: text}}},
	})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Warning", `299 - "`+strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' {
			return -1
		}
		return r
	}, text)+`"`)
	w.WriteHeader(code)
	_, _ = w.Write(raw)
}

// taken writes an answer without the help of net/http.
func taken(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(conn, text)
	_ = conn.Close()
}

// Whatever a server repeats of the credentials that it was sent, no error shows them.
func TestNoErrorRepeatsTheCredentials(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "token"), ownToken)
	program := newProgram(t, answerV1(`{"token":"`+ownToken+`"}`))
	clients := map[string]kubeconfig.Config{
		"token":      {Token: ownToken},
		"token file": {TokenFile: filepath.Join(dir, "token")},
		"password":   {Username: "jane", Password: ownToken},
		"plugin":     {Exec: program.exec()},
		"request":    {}, // has its own
	}
	for where, echo := range echoes {
		for whose, cfg := range clients {
			t.Run(where+" of a "+whose, func(t *testing.T) {
				t.Parallel()
				c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					sent := r.Header.Get("Authorization")
					if _, password, ok := r.BasicAuth(); ok {
						sent += " " + password
					}
					echo(w, sent)
				}), cfg)
				for what, err := range echoErrors(t.Context(), t, c, whose == "request") {
					for verb, text := range shown(err) {
						if repeats(text) {
							t.Errorf("%s, %s: %.300s", what, verb, text)
						}
					}
				}
			})
		}
	}
}

// repeats reports whether a text shows the token, or much of it.
func repeats(text string) bool {
	const much = 12
	coded := base64.StdEncoding.EncodeToString([]byte("Bearer " + ownToken))
	for _, s := range []string{ownToken[:much], url.QueryEscape(ownToken)[:much], coded[12:30], base64.StdEncoding.EncodeToString([]byte("jane:" + ownToken))} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// echoErrors returns the errors of such a server, and its warnings.
func echoErrors(ctx context.Context, t *testing.T, c *rest.Client, own bool) map[string]any {
	t.Helper()
	header := http.Header{}
	if own {
		header.Set("Authorization", "Bearer "+ownToken)
	}
	values := map[string]any{}
	_, err := stream.Await(c.Do(ctx, rest.Request{Path: "/x", Header: header}))
	values["do"] = err
	_, err = stream.Await(c.Do(ctx, rest.Request{Path: "/x", Method: http.MethodPut, Header: header}))
	values["do a write"] = err
	if own { // the server has seen it
		return values
	}
	warnings := make(chan rest.Warning, 8)
	pods := rest.For[Pod](c, "Pod").In("default").With(rest.CallOptions{Warnings: warnings})
	values["get"] = errOf(pods.Get(ctx, "web"))
	values["create"] = errOf(pods.Create(ctx, &Pod{Metadata: Meta{Name: "web"}}))
	values["delete"] = errOf(pods.Delete(ctx, "web", rest.DeleteOptions{}))
	_, err = stream.Await(pods.List(ctx, rest.ListOptions{}))
	values["list"] = err
	_, err = pods.Endpoint().List(ctx, rest.ListOptions{}, func(bool) error { return nil }, func(rest.Item) error { return nil })
	values["raw list"] = err
	_, err = stream.Await(c.Discover(ctx))
	values["discover"] = err
	frames, err := pods.Endpoint().Watch(ctx, rest.WatchOptions{})
	if err == nil {
		var f rest.Frame
		if f, err = frames.Next(); err == nil {
			_, err = f.Refusal()
		}
		frames.Close()
	}
	values["watch"] = err
	for len(warnings) > 0 {
		values["warning"] = (<-warnings).Text
	}
	return values
}

// An answer that was meant as JSON is not repeated: it may be a Secret.
func TestNoErrorRepeatsAnObject(t *testing.T) {
	for _, body := range []string{
		`{"kind":"Secret","data":{"a":"` + secret, `{"kind":"Secret","data":{"a":"` + secret + `",}}`, ` ["` + secret, `"` + secret,
		"{\"a\":\"\x00" + secret + `"}`, `{"a":` + secret + `}`,
	} {
		c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }), kubeconfig.Config{})
		for what, err := range echoErrors(t.Context(), t, c, false) {
			if err != nil && strings.Contains(fmt.Sprint(err), secret) {
				t.Errorf("%s of %s: %v", what, body, err)
			}
		}
	}
}
