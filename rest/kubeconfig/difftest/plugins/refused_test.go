package plugins

import (
	"testing"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

// refused returns rows about credentials that have expired or are refused by the server.
func refused() map[string]row {
	const (
		again  = "401"
		over   = "a credential that has expired when the plugin prints it"
		failed = "a plugin that fails after a 401"
		own    = "a request that has an `Authorization` of its own"
		past   = `"expirationTimestamp":"2001-02-03T04:05:06Z"`
		future = `"expirationTimestamp":"2999-01-02T03:04:05Z"`
	)
	one, two := named("one"), named("two")
	acts := func(texts ...string) []play.Act {
		a := make([]play.Act, len(texts))
		for i, text := range texts {
			a[i].Print = text
		}
		return a
	}
	tokens := acts(token("t1"), token("t2"), token("t3"))
	certs := acts(credential(one.with("")), credential(two.with("")))
	twice, thrice := []string{"get", "get"}, []string{"get", "get", "get"}
	status := func(members string) string { return credential("{" + members + "}") }
	return map[string]row{
		"kept":                    {acts: tokens, send: thrice, want: "200 200 200, 1 run"},
		"kept until its time":     {acts: acts(status(`"token":"t",`+future), token("t2")), send: thrice, want: "200 200 200, 1 run"},
		"many at first":           {acts: tokens, send: []string{"50 times get"}, want: "50x200, 1 run"},
		"many at first, in vain":  {acts: []play.Act{{Code: 1}, {Print: token("t")}}, send: []string{"get", "50 times get"}, want: "error 50x200, 2 runs"},
		"many, with certificates": {acts: certs, send: []string{"50 times get"}, want: "50x200, 1 run"},

		"its time is over": {acts: acts(status(`"token":"t1",`+past), token("t2")), send: thrice, want: "200 200 200, 2 runs"},
		"its time is always over": row{acts: acts(status(`"token":"t",` + past)), send: thrice, want: "200 200 200, 3 runs"}.
			differ("200 200 200, 4 runs", over, "Runs"),
		"its time is over, certificate": row{http1: true, acts: acts(credential(one.with(past+",")), credential(two.with(""))), send: twice, want: "200 200, 2 runs"}.
			differ("error 200, 2 runs", over, "Answers", "Seen"),
		"over, and then it fails": row{acts: []play.Act{{Print: status(`"token":"t",` + past)}, {Code: 1}}, send: twice, want: "200 error, 2 runs"}.
			differ("error error, 3 runs", over, "Answers", "Seen", "Runs"),

		"refused once": row{acts: tokens, refuse: []string{"t1"}, send: twice, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"refused twice": row{acts: tokens, refuse: []string{"t1", "t2"}, send: thrice, want: "401 200 200, 3 runs"}.
			differ("401 401 200, 3 runs", again, "Answers", "Seen"),
		"refused always": {acts: acts(token("t")), refuse: []string{"t"}, send: thrice, want: "401 401 401, 4 runs"},
		"refused, and not over": row{acts: acts(status(`"token":"t1",`+future), token("t2")), refuse: []string{"t1"}, send: twice, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"refused, with a body": row{acts: tokens, refuse: []string{"t1"}, send: []string{"post", "post"}, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"refused, with a body that is gone": {acts: tokens, refuse: []string{"t1"}, send: []string{"post once", "post once"}, want: "401 200, 2 runs"},
		"refused, and then it fails": row{acts: []play.Act{{Print: token("t1")}, {Code: 1}, {Print: token("t3")}}, refuse: []string{"t1"}, send: thrice, want: "401 200 200, 3 runs"}.
			differ("401 401 200, 3 runs", failed, "Answers", "Seen"),
		"refused, and then it always fails": row{acts: []play.Act{{Print: token("t1")}, {Code: 1}}, refuse: []string{"t1"}, send: twice, want: "401 error, 3 runs"}.
			differ("401 401, 3 runs", failed, "Answers", "Seen"),
		"certificate refused": row{http1: true, acts: certs, refuse: []string{"one"}, send: twice, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"certificate refused, then a token": row{http1: true, acts: acts(credential(one.with("")), token("t")), refuse: []string{"one"}, send: twice, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"token refused, then a certificate": row{http1: true, acts: acts(token("t1"), credential(one.with(""))), refuse: []string{"t1"}, send: twice, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"token refused, certificate kept": row{acts: acts(credential(one.with(`"token":"t1",`)), credential(one.with(`"token":"t2",`))), refuse: []string{"t1"}, send: twice, want: "200 200, 2 runs"}.
			differ("401 200, 2 runs", again, "Answers", "Seen"),
		"many refused at once": row{acts: tokens, refuse: []string{"t1"}, hold: 50, send: []string{"50 times get", "50 times get"}, want: "50x200 50x200, 2 runs"}.
			differ("50x401 50x200, 2 runs", again, "Answers", "Seen"),

		"a request of its own": row{acts: tokens, send: []string{"own"}, want: "200, 0 runs"}.
			differ("200, 1 run", own, "Runs"),
		"one of its own, refused": row{acts: tokens, refuse: []string{"own"}, send: []string{"own"}, want: "401, 0 runs"}.
			differ("401, 1 run", own, "Runs"),
		"one of its own, between": {acts: tokens, send: []string{"get", "own", "get"}, want: "200 200 200, 1 run"},
	}
}

// beside returns rows about other credentials beside a plugin.
func beside() map[string]row {
	r := row{}
	cert := named("own")
	missing := r.with("command", "no-such-plugin").expect("200, 0 runs")
	return map[string]row{
		"a token":                    r.beside("token", "t").expect("200, 0 runs"),
		"an empty token":             r.beside("token", ""),
		"a token, and it is missing": missing.beside("token", "t"),
		"a file of a token":          {setup: text(0o600, "file"), user: map[string]any{"tokenFile": "own"}, want: "200, 0 runs"},
		"a name and a password":      {user: map[string]any{"username": "a", "password": "b"}, want: "200, 0 runs"},
		"a name":                     r.beside("username", "a").expect("200, 0 runs"),
		"a certificate":              {user: map[string]any{"client-certificate-data": []byte(cert.cert), "client-key-data": []byte(cert.key)}, want: "200, 0 runs"},
		"impersonation":              {user: map[string]any{"as": "eve", "as-groups": []any{"a", "b"}}},
		"a refused token":            {user: map[string]any{"token": "own"}, refuse: []string{"own"}, send: []string{"get", "get"}, want: "401 401, 0 runs"},
		"plain http":                 row{plain: true}.differ("200, 0 runs", "credentials for `http://`", "Seen", "Runs"),
	}
}

func TestRefused(t *testing.T) { checkAll(t, refused()) }
func TestBeside(t *testing.T)  { checkAll(t, beside()) }
