package plugins

import (
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

// prints returns a row with a plugin that prints the text.
func prints(text string) row { return row{acts: []play.Act{{Print: text}}} }

// fails returns a row with a plugin whose output cannot be used. Neither error repeats it.
func fails(text string) row {
	r := prints(text)
	r.want, r.words = "error, 1 run", []string{"hunter2"}
	return r
}

// differ sets what differs in a row.
func (r row) differ(theirs, why string, fields ...string) row {
	r.theirs, r.why, r.differs = theirs, why, fields
	return r
}

// beta asks for v1beta1.
func (r row) beta() row { return r.with("apiVersion", v1beta1) }

// printed returns rows about the output of plugins.
func printed() map[string]row {
	one, two := named("one"), named("two")
	const (
		secret = "hunter2"
		around = "white space around the token that a plugin prints"
	)
	chain := pair{one.cert + two.cert, one.key}
	return map[string]row{
		"token":                       prints(token("t")),
		"token in v1beta1":            prints(versioned(v1beta1, `{"token":"t"}`)).beta(),
		"certificate":                 prints(credential(one.with(""))),
		"certificate in v1beta1":      prints(versioned(v1beta1, one.with(""))).beta(),
		"token and certificate":       prints(credential(one.with(`"token":"t",`))),
		"certificate and its chain":   prints(credential(chain.with(""))),
		"certificate without a key":   fails(credential(`{"token":"hunter2","clientCertificateData":` + quote(one.cert) + `}`)),
		"key without a certificate":   fails(credential(`{"token":"hunter2","clientKeyData":` + quote(one.key) + `}`)),
		"broken certificate":          fails(credential(pair{"hunter2", one.key}.with(""))),
		"broken DER":                  fails(credential(pair{"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", one.key}.with(""))),
		"broken key":                  fails(credential(pair{one.cert, "hunter2"}.with(`"token":"t",`))),
		"key of another":              fails(credential(pair{one.cert, two.key}.with(""))),
		"encrypted key":               fails(credential(pair{one.cert, encrypted(one.key)}.with(""))),
		"no status":                   fails(`{"apiVersion":"` + v1 + `","kind":"ExecCredential"}`),
		"status of null":              fails(credential("null")),
		"empty status":                fails(credential("{}")),
		"members of null":             fails(credential(`{"token":null,"clientCertificateData":null,"clientKeyData":null}`)),
		"empty token":                 fails(token("")),
		"v1beta1 for v1":              fails(versioned(v1beta1, `{"token":"hunter2"}`)),
		"v1 for v1beta1":              fails(token(secret)).beta(),
		"v1alpha1 for v1":             fails(versioned("client.authentication.k8s.io/v1alpha1", `{"token":"hunter2"}`)),
		"group of another":            fails(versioned("v1", `{"token":"hunter2"}`)),
		"no apiVersion":               fails(`{"kind":"ExecCredential","status":{"token":"hunter2"}}`),
		"no kind":                     prints(strings.Replace(token("t"), `"kind":"ExecCredential",`, "", 1)),
		"empty kind":                  prints(strings.Replace(token("t"), "ExecCredential", "", 1)),
		"another kind":                fails(strings.Replace(token(secret), "ExecCredential", "Pod", 1)),
		"kind in another case":        fails(strings.Replace(token(secret), "ExecCredential", "execcredential", 1)),
		"nothing":                     fails(""),
		"white space":                 fails(" \n\t\n"),
		"no JSON":                     fails("token hunter2"),
		"half of it":                  fails(token(secret)[:60]),
		"words before it":             fails("logging in\n" + token(secret)),
		"words after it":              fails(token(secret) + "\nhunter2\n"),
		"a second one after it":       fails(token(secret) + token(secret)),
		"a list":                      fails("[" + token(secret) + "]"),
		"a number":                    fails("1"),
		"null":                        fails("null"),
		"white space around":          prints("\n\n \t" + token("t") + " \n\n"),
		"unknown members":             prints(`{"x":[1,{}],"apiVersion":"` + v1 + `","kind":"ExecCredential","metadata":{"name":"a"},"spec":{"interactive":true,"y":1},"status":{"token":"t","z":{}}}`),
		"spec of another form":        prints(`{"apiVersion":"`+v1+`","kind":"ExecCredential","spec":[],"status":{"token":"t"}}`).differ("error, 1 run", "an invalid `spec` in what a plugin prints", "Answers", "Seen"),
		"members in another case":     fails(`{"apiVersion":"` + v1 + `","kind":"ExecCredential","Status":{"Token":"hunter2"}}`),
		"member twice":                prints(`{"apiVersion":"` + v1 + `","kind":"ExecCredential","status":{"token":"a","token":"t"}}`),
		"status twice":                prints(`{"apiVersion":"` + v1 + `","kind":"ExecCredential","status":{"token":"a"},"status":{"token":"t"}}`),
		"token of numbers":            fails(credential(`{"token":12345}`)),
		"token of a list":             fails(credential(`{"token":["hunter2"]}`)),
		"YAML":                        prints("apiVersion: " + v1 + "\nkind: ExecCredential\nstatus:\n  token: t\n"),
		"YAML, certificate":           prints("apiVersion: " + v1 + "\nkind: ExecCredential\nstatus: " + one.with("") + "\n"),
		"YAML of two documents":       prints("apiVersion: " + v1 + "\nkind: ExecCredential\nstatus: {token: t}\n---\na: b\n"),
		"YAML after a line":           prints("---\napiVersion: " + v1 + "\nkind: ExecCredential\nstatus: {token: t}\n"),
		"YAML, expiry":                prints("apiVersion: " + v1 + "\nkind: ExecCredential\nstatus: {token: t, expirationTimestamp: 2999-01-02T03:04:05Z}\n"),
		"YAML, token of numbers":      prints("apiVersion: "+v1+"\nkind: ExecCredential\nstatus: {token: 12345}\n").differ("error, 1 run", "`token: 12345`, `namespace: no`", "Answers", "Seen"),
		"long token":                  prints(token(strings.Repeat("t", 100_000))),
		"token of other letters":      prints(token("tökén")),
		"token of two lines":          fails(token(secret + "\n" + secret)),
		"token with a NUL":            fails(token(secret + "\x00")),
		"token with a newline":        prints(token("t\n")).differ("error, 1 run", around, "Answers", "Seen"),
		"token with spaces":           prints(token("  t ")).differ("", around, "Seen"),
		"token of spaces":             fails(token(" \n")),
		"token of nothing but spaces": fails(token("  ")).differ("200, 1 run", around, "Answers", "Seen"),
		"a mark before it":            prints("\ufeff" + token("t")),
		"much":                        {acts: []play.Act{{Print: token("t"), Pad: 2 << 20}}, want: "error, 1 run", theirs: "200, 1 run", why: "a plugin that prints more than 1 MiB", differs: []string{"Answers", "Seen"}},
		"expiry in the future":        prints(credential(`{"token":"t","expirationTimestamp":"2999-01-02T03:04:05Z"}`)),
		"expiry with a zone":          prints(credential(`{"token":"t","expirationTimestamp":"2999-01-02T03:04:05.678+02:00"}`)),
		"expiry of null":              prints(credential(`{"token":"t","expirationTimestamp":null}`)),
		"expiry that is empty":        fails(credential(`{"token":"hunter2","expirationTimestamp":""}`)),
		"expiry that is no time":      fails(credential(`{"token":"t","expirationTimestamp":"hunter2"}`)).differ("", "a wrong value in what a plugin prints", "Words"),
		"expiry of seconds":           fails(credential(`{"token":"hunter2","expirationTimestamp":4102444800}`)),
		"expiry without a zone":       fails(credential(`{"token":"hunter2","expirationTimestamp":"2999-01-02T03:04:05"}`)),
		"expiry with a space":         fails(credential(`{"token":"hunter2","expirationTimestamp":"2999-01-02 03:04:05Z"}`)),
		"expiry with a comma":         prints(credential(`{"token":"t","expirationTimestamp":"2999-01-02T03:04:05,5Z"}`)),
		"expiry with a short hour":    prints(credential(`{"token":"t","expirationTimestamp":"2999-01-02T3:04:05Z"}`)),
		"invalid UTF-8 in the token":  prints(strings.Replace(token("tXt"), "X", "\xff", 1)),
		"invalid UTF-8 elsewhere":     prints(strings.Replace(token("t"), `"kind"`, "\"x\":\"\xff\",\"kind\"", 1)),
		"comment":                     fails("/* hunter2 */" + token(secret)),
		"comma at the end":            fails(strings.Replace(token(secret), "}}", "},}", 1)),
	}
}

func TestPrinted(t *testing.T) { checkAll(t, printed()) }

// checkAll checks rows.
func checkAll(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, r := range rows {
		t.Run(name, func(t *testing.T) { r.check(t) })
	}
}
