package codec_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/randfill"

	"github.com/tideway-go/tideway/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var rounds = flag.Int("rounds", 4, "random values of each type; their number is the seed")

// fully compares unexported fields too: what a decoder leaves in a Quantity or a Time matters.
var fully = cmp.Exporter(func(reflect.Type) bool { return true })

// TestEncode holds rest.Encode against encoding/json, for the zero value of every type and for
// random ones.
func TestEncode(t *testing.T) {
	each(t, func(t *testing.T, e entry, v any) {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rest.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s\nencoding/json: %s\nrest:          %s", e.typ, want, got)
		}
	})
}

// TestDecode holds rest.Decode against the decoder that client-go and kube-apiserver use, with
// documents as servers send them and with members that a type does not know, that are null, that
// come twice, or whose name has another case.
func TestDecode(t *testing.T) {
	each(t, func(t *testing.T, e entry, v any) {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for name, doc := range variants(t, raw) {
			want := reflect.New(e.typ).Interface()
			wantErr := kjson.UnmarshalCaseSensitivePreserveInts(doc, want)
			got, err := e.decode(doc)
			if (wantErr == nil) != (err == nil) {
				t.Errorf("%s, %s:\nsigs.k8s.io/json: %v\nrest:             %v\n%s", e.typ, name, wantErr, err, doc)
				continue
			}
			if err == nil {
				if diff := cmp.Diff(want, got, fully); diff != "" {
					t.Errorf("%s, %s (-sigs.k8s.io/json +rest):\n%s\n%s", e.typ, name, diff, doc)
				}
			}
		}
	})
}

// TestRoundTrip encodes with one and decodes with the other, in both directions.
func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, e entry, v any) {
		theirs, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := e.decode(theirs)
		if err != nil {
			t.Fatalf("%s: %v\n%s", e.typ, err, theirs)
		}
		ours, err := rest.Encode(decoded)
		if err != nil {
			t.Fatal(err)
		}
		again := reflect.New(e.typ).Interface()
		if err := kjson.UnmarshalCaseSensitivePreserveInts(ours, again); err != nil {
			t.Fatalf("%s: %v\n%s", e.typ, err, ours)
		}
		if diff := cmp.Diff(decoded, again, fully); diff != "" {
			t.Errorf("%s (-rest +sigs.k8s.io/json):\n%s", e.typ, diff)
		}
	})
}

// each runs a test with the zero value and with random values of every type. A failure tells the
// seed.
func each(t *testing.T, f func(t *testing.T, e entry, v any)) {
	for _, e := range types {
		t.Run(e.typ.String(), func(t *testing.T) {
			t.Parallel()
			f(t, e, reflect.New(e.typ).Interface())
			for seed := range int64(*rounds) {
				v := reflect.New(e.typ).Interface()
				filler(seed).Fill(v)
				f(t, e, v)
				if t.Failed() {
					t.Fatalf("with seed %d", seed)
				}
			}
		})
	}
}

// filler fills values at random. The odd seeds leave nothing out, the even ones about half of what
// may be left out.
func filler(seed int64) *randfill.Filler {
	f := randfill.NewWithSeed(seed).NumElements(1, 2).MaxDepth(12).NilChance(0)
	if seed%2 == 0 {
		f = f.NilChance(0.5).NumElements(0, 2)
	}
	return f.Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse(strconv.Itoa(c.Intn(1000)) + []string{"", "m", "Ki", "Gi", "k", "E", "e3", ".5"}[c.Intn(8)])
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			*v = intstr.FromInt32(c.Int31())
			if c.Bool() {
				*v = intstr.FromString(text(c))
			}
		},
		func(v *metav1.Time, c randfill.Continue) { *v = metav1.Time{Time: time.Unix(c.Int63n(1<<32), 0)} },
		func(v *metav1.MicroTime, c randfill.Continue) {
			*v = metav1.MicroTime{Time: time.Unix(c.Int63n(1<<32), c.Int63n(1e6)*1000)}
		},
		func(v *metav1.FieldsV1, c randfill.Continue) {
			v.SetRawBytes(object(c))
		},
		func(v *runtime.RawExtension, c randfill.Continue) { *v = runtime.RawExtension{Raw: object(c)} },
		func(v *runtime.Object, _ randfill.Continue) { *v = nil },
		func(v *string, c randfill.Continue) { *v = text(c) },
		func(v *metav1.Duration, c randfill.Continue) { v.Duration = time.Duration(c.Int63()) },
	)
}

// text gives strings with all that JSON has to escape, but of valid UTF-8.
func text(c randfill.Continue) string {
	const letters = `abcXYZ0189 -_./"\<>&'{}[]:,` + "\t\n\r\x00\x1f\x7f\u00e9\u2028\u2029\ufffd\U0001f600"
	all := []rune(letters)
	var b strings.Builder
	for range c.Intn(9) {
		b.WriteRune(all[c.Intn(len(all))])
	}
	return b.String()
}

// object gives a JSON object as it is written without spaces.
func object(c randfill.Continue) []byte {
	raw, err := json.Marshal(map[string]any{"f:" + text(c): map[string]any{}, "n": c.Int63(), "list": []any{c.Float64(), nil, true, text(c)}})
	if err != nil {
		panic(err)
	}
	return raw
}

// variants gives the document itself and what else may come over the wire.
func variants(t *testing.T, raw []byte) map[string][]byte {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	n := len(members) + 2
	same, twice, null, otherCase := make([]string, 0, n), make([]string, 0, 2*n), make([]string, 0, n), make([]string, 0, n)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member := fmt.Sprintf("%q:%s", name, members[name])
		same = append(same, member)
		twice = append(twice, member, member)
		null = append(null, fmt.Sprintf("%q:null", name))
		otherCase = append(otherCase, fmt.Sprintf("%q:%s", strings.ToUpper(name), members[name]))
	}
	var spaced bytes.Buffer
	if err := json.Indent(&spaced, raw, "", "\t"); err != nil {
		t.Fatal(err)
	}
	docs := map[string][]byte{
		"as it is":         raw,
		"with spaces":      spaced.Bytes(),
		"unknown members":  braces(append(slices.Clone(same), `"unknown":{"deep":[1,"x",null]}`, `"unknown":1`)),
		"members twice":    braces(twice),
		"null members":     braces(null),
		"null after value": braces(append(slices.Clone(same), null...)),
		"other case":       braces(otherCase),
	}
	random := rand.New(rand.NewSource(int64(len(raw)))) //nolint:gosec // the same documents each time
	for i := range 12 {
		docs[fmt.Sprintf("changed at random, %d", i)] = changed(t, raw, random)
	}
	return docs
}

func braces(members []string) []byte { return []byte("{" + strings.Join(members, ",") + "}") }

// changed replaces one value, anywhere in the document, by one that may not fit there.
func changed(t *testing.T, raw []byte, random *rand.Rand) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	var places []func(v any)
	collect(doc, &places)
	if len(places) == 0 {
		return raw
	}
	values := []any{
		nil, "", "x", "7", true, 7, -1, json.Number("1.5"), json.Number("1e3"), json.Number("3000000000"), json.Number("99999999999999999999"),
		[]any{},
		[]any{nil},
		[]any{"x"},
		map[string]any{},
		map[string]any{"x": nil},
		map[string]any{"x": "y"},
		"2026-01-02T03:04:05Z", "1h",
	}
	places[random.Intn(len(places))](values[random.Intn(len(values))])
	out, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// collect lists what sets each value of a document.
func collect(doc any, places *[]func(v any)) {
	switch doc := doc.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(doc)) {
			*places = append(*places, func(v any) { doc[name] = v })
			collect(doc[name], places)
		}
	case []any:
		for i := range doc {
			*places = append(*places, func(v any) { doc[i] = v })
			collect(doc[i], places)
		}
	}
}
