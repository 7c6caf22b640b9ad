package redact_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest/internal/redact"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// repeat makes an invented value of the right shape. No value of these tests opens anything.
func repeat(prefix, s string, n int) string { return prefix + strings.Repeat(s, n) }

// Nothing that lets one in is shown, and what says why a plugin failed stays. Within a text, §
// stands before and after each secret.
func TestSecretsAreHidden(t *testing.T) {
	jwt := "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqYW5lIn0.c2ln" + repeat("", "Ab1-", 6)
	for name, text := range map[string]string{
		"option in two words":   `error: unknown flag in: kubelogin get-token --client-secret §Xy7-secret§ --tenant`,
		"option with equals":    `usage: --client-secret=§plainword§ is wrong`,
		"password":              `login failed: password=§correct§ host=db.example.org`,
		"password with a comma": `password=§a,b;c&d§ host=x`,
		"password in words":     "password: §correct horse battery§\nhost: example.org",
		"name and colon":        `token:§abcdef§ code 17`,
		"JSON":                  `{"error":"invalid_grant","client_secret":"§a b\"c§","code":403,"host":"login.example.org"}`,
		"JSON in a string":      `"{\"refresh_token\":\"§abc§\",\"status\":\"denied\"}"`,
		"JSON with spaces":      `{ "password" : "§x y§" , "user": "jane" }`,
		"Python":                `{'secret': '§x y§', 'region': 'eu-west-1'}`,
		"list":                  `{"tokens":["§abc", "def§"],"region":"eu"}`,
		"YAML":                  "user: jane\nclient-secret: §hunter2§\nregion: eu-west-1",
		"YAML, next line":       "client-secret: |\n  §hunter2§\nregion: eu-west-1",
		"environment":           `AWS_SECRET_ACCESS_KEY=§abc§ AWS_REGION=eu-west-1`,
		"camel case":            `clientSecret=§abc§ tenantId=17`,
		"user of an address":    `fetching https://§u:p§@git.example.org:8443/path/x: connection refused`,
		"slash in a password":   `fetching https://§u:p/w§@git.example.org/path: refused`,
		"user without a scheme": `jane:§swordfish§@git.example.org refused`,
		"query":                 `Get "https://login.example.org/token?grant=§a§&sig=§b%20c§": context deadline exceeded`,
		"fragment":              `redirected to https://login.example.org/#access_token=§abc§`,
		"query alone":           `POST /oauth2/token?code=§swordfish§ 400 Bad Request`,
		"authorization":         "> Authorization: §Basic amFuZTpzd29yZGZpc2g=§\n> Host: example.org",
		"bearer":                `curl -H 'Authorization: §Bearer swordfish§`,
		"bearer alone":          `sent bearer §swordfish9§ to the server`,
		"cookie":                "Set-Cookie: §session=abc; path=/§\nServer: nginx",
		"header of a vendor":    "X-Vault-Token: §swordfish§\nServer: nginx",
		"web token":             `invalid token §` + jwt + `§: expired`,
		"web token over lines":  "invalid token §" + jwt[:40] + "\n" + jwt[40:] + "§ (expired)",
		"OpenShift":             `login with §sha256~abcdEFGH1234§ failed: 401`,
		"AWS key":               `The key §AKIAIOSFODNN7EXAMPLE§ is inactive (InvalidClientTokenId)`,
		"AWS session":           `key §ASIAIOSFODNN7EXAMPLE§ expired`,
		"AWS secret":            `signed with §wJalrXUtnFEMI/K7MDENG/bPxRfiCYzAMPLEKEY§ for sts.eu-west-1.amazonaws.com`,
		"EKS":                   `got §k8s-aws-v1.aHR0cHM6Ly9zdHMuYW1hem9u§ from sts`,
		"GitHub":                `remote: §ghp_16C7e42F292c6912E7710c838347Ae178B4a§ and §gho_abcd1234§ and §ghs_abcd1234§ and §github_pat_11ABC_xyz§ refused`,
		"GitLab":                `remote: §glpat-abcdefgh12345678§ refused`,
		"Google":                `access §ya29.a0AfH6SMB-x_y§ key §AIzaSyA1234567890abcdefghij§ refresh §1//0gabcdefghijkl-mn§ client §GOCSPX-abcdef12§ refused`,
		"Azure":                 `AADSTS7000215: Invalid client secret provided: client §abc8Q~defghijklmnopqrstuvwxyz12345§ trace 5`,
		"Slack":                 `hook §xoxb-123456789012-abcdefGHIJ§ refused`,
		"DigitalOcean":          repeat("doctl: §dop_v1_", "0a1b", 16) + "§ was revoked",
		"Vault":                 `lookup of §hvs.CAESIJ1234abcd§ failed: permission denied`,
		"Terraform":             `host app.example.org: §abcdefGHIJ1234.atlasv1.abcDEF-123§ is invalid`,
		"npm":                   `E401 §npm_abcdEFGH1234§ for registry.example.org`,
		"PyPI":                  `403 §pypi-AgEIcHlwaS5vcmcCJ§ for upload.example.org`,
		"Doppler":               `Doppler Error: §dp.st.dev.abcdEFGH12§ is revoked`,
		"Databricks":            repeat("§dapi", "0a1b", 8) + `§ refused`,
		"Docker":                `§dckr_pat_abcdEFGH-12§ refused`,
		"private key":           "loading\n§-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nabc\n-----END PRIVATE KEY-----§\nfailed",
		"private key in JSON":   `{"private_key":"§-----BEGIN PRIVATE KEY-----\nMIIE\nQ==\n-----END PRIVATE KEY-----\n§","type":"service_account"}`,
		"private key, cut off":  "loading\n§-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBg\nabc§",
		"long base64":           repeat("value §", "YWJj", 20) + `§ of config`,
		"kubeadm":               `joining with §abcdef.0123456789abcdef§ failed`,
	} {
		t.Run(name, func(t *testing.T) {
			parts := strings.Split(text, "§")
			got := redact.Text(strings.Join(parts, ""), nil, true)
			for i, part := range parts {
				for word := range strings.FieldsSeq(part) {
					word = strings.Trim(word, `"'{}[],;&()>\:`)
					if i%2 == 0 && strings.Contains(word, `"`) {
						continue // several members in one word
					}
					secret := i%2 == 1
					harmless := secret && strings.Contains(strings.Join(even(parts), ""), word)
					if len(word) > 1 && !harmless && strings.Contains(got, word) == secret {
						t.Errorf("%q: shown: %v, want %v\n%s", word, secret, !secret, got)
					}
				}
			}
		})
	}
}

// even returns the parts with even numbers.
func even(parts []string) []string {
	var out []string
	for i := 0; i < len(parts); i += 2 {
		out = append(out, parts[i])
	}
	return out
}

// What says why a plugin failed is shown as it was printed.
func TestDiagnosticsStay(t *testing.T) {
	for _, text := range []string{
		`error: token expired, please log in again`,
		`failed to get token: dial tcp 10.0.0.1:443: connect: connection refused`,
		`could not get token: AccessDenied: User: arn:aws:sts::123456789012:assumed-role/AdminRole1/jane is not authorized to perform: sts:AssumeRole`,
		`oauth2: cannot fetch token: 400 Bad Request`,
		`Get "https://login.example.org/oauth2/token": context deadline exceeded`,
		`open /home/jane/.kube/cache/oidc-login/token.json: permission denied`,
		`An error occurred (ExpiredToken) when calling the GetCallerIdentity operation: The security token included in the request is expired`,
		`Unable to locate credentials. You can configure credentials by running "aws configure".`,
		`rpc error: code = Unauthenticated desc = invalid session`,
		`exit code: 1, error code: 403, status code: 401, request id: 7a9f2c1e-0d3b-4c5d-8e6f-112233445566`,
		`{"error":{"code":403,"status":"PERMISSION_DENIED"},"errorCode":"AccessDenied"}`,
		`ERROR: (gcloud.config.config-helper) There was a problem refreshing your current auth tokens: ('invalid_grant: Bad Request', {'error': 'invalid_grant'})`,
		`AADSTS50076: Due to a configuration change made by your administrator, you must use multi-factor authentication`,
		`x509: certificate signed by unknown authority`,
		`lookup 3F2A5D6B7C8E9F0A1B2C3D4E5F607182.gr7.eu-west-1.eks.amazonaws.com on 10.0.0.10:53: no such host`,
		`signal: killed`,
		`required flag --client-secret is missing`,
		`tokenFile: /var/run/secrets/token`,
		`basic authentication is not supported`,
		`the session has ended: please log in`,
		`author: Jane, monkey: 5, decode: failed, passed: 7, design: new`,
		`Traceback (most recent call last):
  File "/usr/lib/python3.11/site-packages/botocore/credentials.py", line 12, in refresh
KeyError: 'region'`,
	} {
		if got := redact.Text(text, nil, true); got != text {
			t.Errorf("%s\nis\n%s", text, got)
		}
	}
}

// The values that a program was given are hidden however it spells them.
func TestGivenValuesAreHidden(t *testing.T) {
	const secret = `p@ss w/"rd+ü&9`
	given := redact.Values{}
	given.AddArguments([]string{"eks", "get-token", "--client-secret", secret})
	utf16le := func(s string) string {
		var b strings.Builder
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
		return b.String()
	}
	for name, spelled := range map[string]string{
		"plain":            secret,
		"query":            url.QueryEscape(secret),
		"path":             url.PathEscape(secret),
		"small letters":    strings.ToLower(url.QueryEscape(secret)),
		"Go":               fmt.Sprintf("%q", secret),
		"ASCII":            fmt.Sprintf("%+q", secret),
		"HTML":             `p@ss w/&#34;rd+&#xfc;&amp;9`,
		"over lines":       "p@ss\r\nw/\"r\nd+ü&9",
		"escape sequences": "p@\x1b[31mss w/\"\x1b[0mrd+ü&9",
		"escape before":    "\x1b" + secret,
		"NUL":              strings.Join(strings.Split(secret, ""), "\x00"),
		"zero width":       strings.Join(strings.Split(secret, ""), "\u200b"),
		"base64":           base64.StdEncoding.EncodeToString([]byte("jane:" + secret)),
		"hexadecimal":      fmt.Sprintf("%x", secret),
		"twice":            secret + secret,
	} {
		got := redact.Text("login of jane, "+spelled+" refused by example.org", given, true)
		if want := "login of jane, " + redact.Mark + " refused by example.org"; strings.Trim(strings.ReplaceAll(got, redact.Mark+redact.Mark, redact.Mark), " ") != want &&
			got != strings.ReplaceAll(want, redact.Mark, `"`+redact.Mark+`"`) && name != "base64" {
			t.Errorf("%s: %s", name, got)
		}
		if name == "base64" && strings.Contains(got, base64.StdEncoding.EncodeToString([]byte(secret))[4:10]) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := redact.Text(utf16le("the secret "+`abcdefgh`+" was refused"), redact.Values{"abcdefgh": true}, true); got != "the secret [redacted] was refused" {
		t.Errorf("UTF-16: %q", got)
	}
}

// A text that was cut off shows no part of a secret at its end.
func TestCutOffTexts(t *testing.T) {
	given := redact.Values{"correct horse battery": true}
	for text, want := range map[string]string{
		"refused ghp_ab":        "refused [redacted]",
		"refused correct hor":   "refused [redacted]",
		"refused correct":       "refused [redacted]",
		"a -----BEGIN PRIVATE ": "a -----BEGIN PRIVATE ",
		"one two three":         "one two [redacted]",
	} {
		if got := redact.Text(text, given, false); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Every value of an argument counts, wherever it stands, and no name of an option does.
func TestArguments(t *testing.T) {
	given := redact.Values{}
	given.AddArguments([]string{"login", "positional1", "--flag", "second2", "--name=third3", "-pfourth4", "name=fifth5", "--set", "a=sixth6", "-region", "--verbose", "--url=https://u:seventh7@h/x"})
	got := redact.Text("login positional1 second2 third3 fourth4 fifth5 sixth6 seventh7 flag name region verbose", given, true)
	want := "login" + strings.Repeat(" "+redact.Mark, 7) + " flag name region verbose"
	if got != want {
		t.Error(got)
	}
}

// A value of an argument never appears, whatever is around it.
func FuzzArgumentNeverAppears(f *testing.F) {
	f.Add("swordfish", "password ", " refused")
	f.Add("a b c d e f", "\x1b[", "\x1b]")
	f.Add("[redacted]x", "", "")
	f.Add("s\u0301ecret", "\xff", "\x00")
	f.Add("%41%42%43", "=", "&")
	f.Add("reda cted", "x", "y")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		given := redact.Values{}
		given.AddArguments([]string{"--secret=" + secret})
		for value := range given {
			if strings.Contains(redact.Mark, strings.TrimSpace(value)) || strings.Contains(value, redact.Mark) { //nolint:gocritic // a part of the mark cannot be told from it
				t.Skip()
			}
			if n := len([]rune(strings.Map(visible, value))); n < 4 {
				t.Skip() // shorter ones are hidden where they are words
			}
			for _, complete := range []bool{true, false} {
				got := redact.Text(before+value+after, given, complete)
				if strings.Contains(strings.ReplaceAll(got, redact.Mark, "\x00"), value) {
					t.Errorf("%q in %q", value, got)
				}
			}
		}
	})
}

func visible(r rune) rune {
	if r <= ' ' || r == 0x7f {
		return -1
	}
	return r
}
