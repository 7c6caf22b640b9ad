package transport_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest/internal/transport"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Whoever sends a request through the transport sees no credentials: neither in the request of the
// answer, nor in a redirect, nor in a trace.
func TestTheCallerSeesNoCredentials(t *testing.T) {
	for name, cfg := range map[string]kubeconfig.Config{"token": {Token: secret}, "basic": {Username: "jane", Password: secret}} {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", name, http2), func(t *testing.T) {
				s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") == "" {
						w.WriteHeader(http.StatusUnauthorized)
					} else if r.URL.Path == "/" {
						http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
					}
				}))
				s.Config.Protocols = new(http.Protocols)
				s.Config.Protocols.SetHTTP1(true)
				s.Config.Protocols.SetUnencryptedHTTP2(true)
				s.Start()
				defer s.Close()
				cfg.Server = s.URL
				rt, err := transport.New(&cfg, transport.Options{UnencryptedHTTP2: http2})
				if err != nil {
					t.Fatal(err)
				}
				defer rt.CloseIdle()
				var seen []http.Header
				var fields []string
				c := &http.Client{Transport: rt, CheckRedirect: func(r *http.Request, via []*http.Request) error {
					seen = append(seen, r.Header, via[0].Header, r.Response.Request.Header)
					return nil
				}}
				r := request(t, s.URL+"/")
				r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteHeaderField: func(name string, values []string) {
					fields = append(fields, fmt.Sprint(strings.ToLower(name), values))
				}}))
				resp, err := c.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("it is answered %s", resp.Status)
				}
				seen = append(seen, resp.Request.Header)
				for _, h := range seen {
					if len(h["Authorization"]) > 0 {
						t.Errorf("a header is %v", h)
					}
				}
				if all := strings.Join(fields, " "); !strings.Contains(all, "authorization[[redacted]]") {
					t.Errorf("the trace saw %s", all)
				}
			})
		}
	}
}
