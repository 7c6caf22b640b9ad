package plugins

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// something returns random output of a plugin: each part may be missing or wrong, and some of it
// broken.
func something(r *rand.Rand) string {
	const seldom = 10
	one := named("one")
	pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	mostly := func(right string, wrong ...string) string {
		if r.IntN(seldom) > 0 {
			return right
		}
		return pick(wrong...)
	}
	members := func(parts ...string) string {
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" || r.IntN(seldom) == 0 })
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	}
	credentials := pick(`"token":`+mostly(`"x"`, `""`, "null", "[]", "{}", `"a b"`),
		`"clientCertificateData":`+mostly(quote(one.cert), `""`, "null", `"x"`)+`,"clientKeyData":`+mostly(quote(one.key), `""`, "null", `"x"`))
	status := members(credentials,
		pick("", `"expirationTimestamp":`+mostly(`"2999-01-02T03:04:05Z"`, `"2999-01-02T03:04:05.5+01:00"`, "null", `""`, `"soon"`, "1", `"2999-13-02T03:04:05Z"`)),
		pick("", `"x":`+pick("1", `"y"`, "[{}]")))
	text := members(`"apiVersion":`+mostly(quote(v1), quote(v1beta1), `""`, "null", `"v1"`, "1"),
		`"kind":`+mostly(`"ExecCredential"`, `"ExecCredentialList"`, `""`, "null", "[]"),
		`"status":`+mostly(status, "null", "[]", `""`), pick("", `"metadata":{}`), pick("", `"spec":`+pick("{}", "null", `{"interactive":true}`)))
	switch r.IntN(seldom) {
	case 0: // as YAML
		text = "# x\n" + text
	case 1:
		text = text[:r.IntN(len(text)+1)]
	case 2, 3: // most of these do no harm
		at := r.IntN(len(text) + 1)
		text = text[:at] + pick(",", "}", "{", `"`, ":", "\n", "a", "\\", "0", "\x00") + text[at:]
	}
	return text
}

// Random output of plugins is used by both libraries or by neither.
func TestRandom(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	d := newDoor(t, true, true)
	const count = 150
	used := 0
	for i := range count {
		text := something(r)
		one := prints(text)
		dir := filepath.Join(t.TempDir(), strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := one.write(t, d, dir)
		their, our := one.play(t, theirs, d, dir, path), one.play(t, ours, d, dir, path)
		if diff := cmp.Diff(their, our, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n%s", diff, text)
			t.Fatalf("number %d of SEED=%d", i, seed)
		}
		if our.Answers[0] == "200" {
			used++
		}
	}
	if used < count/10 || used > count*9/10 {
		t.Errorf("%d of %d were used: the test no longer makes sense", used, count)
	}
}
