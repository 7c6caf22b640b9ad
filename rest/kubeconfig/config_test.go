package kubeconfig

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// A configuration shows no secrets, however it is printed.
func TestSecretsDoNotPrint(t *testing.T) {
	c := Config{
		Server: "https://c", Token: secret, Password: secret, ProxyURL: "http://me:" + secret + "@proxy",
		TLS: TLS{KeyData: secret},
	}
	type holder struct {
		S Secret
		C Config
		P *Config
	}
	for _, v := range []any{Secret(secret), c, &c, c.TLS, holder{secret, c, &c}, []Secret{secret}, map[string]Config{"a": c}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, secret) || strings.Contains(got, fmt.Sprintf("%x", secret)) {
				t.Errorf("%s of %T shows the secret: %s", verb, v, got)
			}
		}
		var b strings.Builder
		log := slog.New(slog.NewTextHandler(&b, nil))
		log.Info("x", "v", v)
		log = slog.New(slog.NewJSONHandler(&b, nil))
		log.Info("x", "v", v)
		if strings.Contains(b.String(), secret) {
			t.Errorf("slog shows the secret of %T: %s", v, b.String())
		}
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), secret) {
			t.Errorf("JSON shows the secret of %T: %s", v, raw)
		}
	}
	if got := Secret("").String(); got != "" {
		t.Errorf("no secret prints as %q", got)
	}
}

func TestCredentials(t *testing.T) {
	for want, c := range map[string]Config{
		"none":               {},
		"token":              {Token: "t"},
		"token file":         {Token: "t", TokenFile: "f"},
		"basic":              {Username: "u"},
		"client certificate": {TLS: TLS{CertFile: "c"}},
	} {
		if got := c.Credentials(); got != want {
			t.Errorf("credentials are %q, want %q", got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(config("a", "a", "b")), "")
	f.Add([]byte("contexts: null"), "x")
	f.Add([]byte("\xff\xfea\x00:\x00"), "")
	f.Add([]byte("a: &a [*a, *a]\nusers: *a"), "")
	f.Fuzz(func(t *testing.T, text []byte, context string) {
		c, err := Parse(text, Options{Context: context})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than one line: %q", err)
			}
			return
		}
		if _, err := c.URL(); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	})
}

// What may be a secret in an address is in no error about it.
func TestAddressesInErrorsShowNoSecret(t *testing.T) {
	const secret = "hunter2"
	for _, server := range []string{
		"ftp://h/?token=" + secret, "ftp://h/#" + secret, "ftp://u:" + secret + "@h", "https://u:" + secret + "@h", "https://u:" + secret,
		"token:" + secret, "https:?" + secret, "//h?" + secret, "https://h:" + secret + "/", "https://h/%zz" + secret, "https://[" + secret,
		"https://h" + secret + "\x7f", "https://u:" + secret + "%zz@h", secret + "@", "https:///x?" + secret, "https://a b:" + secret, "?" + secret,
	} {
		_, err := Config{Server: server}.URL()
		if err == nil {
			t.Errorf("%q is accepted", server)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", server, err)
		}
	}
	for _, proxy := range []string{"http://u:" + secret + "@", "ftp://u:" + secret + "@h", "u:" + secret, "http://u:" + secret + "@h:x", secret, "http://h?" + secret + "%zz"} {
		if err := checkProxy(proxy); err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", proxy, err)
		}
	}
}
