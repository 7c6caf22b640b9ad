package rest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// everywhere is a configuration with the secret in every field that may hold one.
func everywhere() kubeconfig.Config {
	const s = secret
	return kubeconfig.Config{
		Server: "https://localhost:6443", Token: s, Password: s, ProxyURL: "http://me:" + s + "@127.0.0.1:1",
		TLS: kubeconfig.TLS{KeyData: s},
		Exec: &kubeconfig.Exec{
			APIVersion: kubeconfig.ExecV1, Command: "aws", Args: []string{s}, Env: []kubeconfig.EnvVar{{Name: "a", Value: s}},
			Interactive: kubeconfig.InteractiveNever, ClusterConfig: []byte(`"` + s + `"`),
		},
	}
}

// No value that the packages return shows a secret, however it is printed.
func TestNothingPrintsASecret(t *testing.T) {
	cfg := everywhere()
	clean := cfg
	clean.TLS, clean.Password = kubeconfig.TLS{}, ""
	withToken, err := rest.New(clean, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clean.Token = ""
	withPlugin, err := rest.New(clean, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pods := rest.For[Pod](withToken, "Pod").In("default")
	_, refused := one(t, pods.Get(t.Context(), "web")) // no server listens
	values := []any{
		cfg, &cfg, cfg.TLS, &cfg.TLS, cfg.Token, *cfg.Exec, cfg.Exec, cfg.Exec.Env, cfg.Exec.Env[0], cfg.Impersonate,
		withToken, *withToken, withPlugin, *withPlugin, pods, pods.Endpoint(), withToken.RoundTripper(), refused,
		[]kubeconfig.Config{cfg},
		map[string]*kubeconfig.Config{"a": &cfg},
		struct{ C *rest.Client }{withToken},
		struct{ X *kubeconfig.Exec }{cfg.Exec},
	}
	for _, v := range values {
		texts := make([]string, 0, 9)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			texts = append(texts, fmt.Sprintf(verb, v))
		}
		raw, err := json.Marshal(v)
		texts = append(texts, string(raw), errText(err))
		for _, text := range texts {
			for _, form := range []string{secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%d", []byte(secret))} {
				if strings.Contains(text, form) {
					t.Errorf("%T shows the secret: %.300s", v, text)
				}
			}
		}
	}
	// A new field that can hold a secret must be set in everywhere as well.
	for _, v := range []any{cfg, cfg.TLS, *cfg.Exec, cfg.Exec.Env[0]} {
		r := reflect.ValueOf(v)
		for i := range r.NumField() {
			if f := r.Field(i); f.Type() == reflect.TypeFor[kubeconfig.Secret]() && f.IsZero() {
				t.Errorf("%T.%s is not filled in", v, r.Type().Field(i).Name)
			}
		}
	}
}

// Redirects are not followed, neither to another host nor to the same one, so that the credentials
// stay with the server.
func TestRedirectGetsNoCredentials(t *testing.T) {
	h := &headers{}
	other := httptest.NewServer(h)
	defer other.Close()
	c := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path+"?token="+secret, http.StatusTemporaryRedirect)
	}), kubeconfig.Config{Token: secret})
	pods := rest.For[Pod](c, "Pod").In("default")
	_, get := one(t, pods.Get(t.Context(), "web"))
	_, create := one(t, pods.Create(t.Context(), &Pod{Metadata: Meta{Name: "web"}}))
	for _, err := range []error{get, create} {
		if err == nil || !strings.Contains(err.Error(), "redirected (307)") || strings.Contains(err.Error(), secret) {
			t.Errorf("error is %v", err)
		}
	}
	follow := &http.Client{Transport: c.RoundTripper()}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Server()+"/version", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := follow.Do(r)
	if err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "another host") {
		t.Errorf("error is %v", err)
	}
	if len(h.seen) > 0 {
		t.Errorf("the other host got %v", h.seen)
	}
}

// The error of a type that refuses a value may repeat it; that of Decode does not, with any verb.
func TestDecodeErrorHidesTheValue(t *testing.T) {
	_, err := rest.Decode[struct{ Address netip.Addr }]([]byte(`{"Address":"` + secret + `"}`))
	if err == nil {
		t.Fatal("it decodes")
	}
	for verb, text := range shown(err) {
		if hasSecret(text) {
			t.Errorf("%s: %s", verb, text)
		}
	}
}
