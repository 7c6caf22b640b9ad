package wire_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is the largest frame, in bytes.
const limit = 16 << 20

const (
	added    = `{"type":"ADDED","object":{"metadata":{"name":"a"}}}`
	modified = `{"type":"MODIFIED","object":{"metadata":{"name":"é漢😀"}}}`
)

// read returns every frame as "TYPE object", and the error at the end.
func read(r io.Reader) (frames []string, err error) {
	f := wire.NewFrames(r, limit)
	for {
		ev, err := f.Next()
		if err != nil {
			return frames, err
		}
		frames = append(frames, ev.Type+" "+string(ev.Object))
	}
}

func TestNext(t *testing.T) {
	both := []string{`ADDED {"metadata":{"name":"a"}}`, `MODIFIED {"metadata":{"name":"é漢😀"}}`}
	for _, tt := range []struct {
		name, body string
		want       []string
		end        error
	}{
		{"nothing", "", nil, io.EOF},
		{"white space", " \r\n\n\t", nil, io.EOF},
		{"lines", added + "\n" + modified + "\n", both, io.EOF},
		{"no line ends", added + modified, both, io.EOF},
		{"carriage returns and empty lines", added + "\r\n\r\n\n" + modified + "\r\n", both, io.EOF},
		{"over many lines", strings.NewReplacer(`{`, "{\n", `,`, ",\n").Replace(added) + modified, []string{
			"ADDED {\n\"metadata\":{\n\"name\":\"a\"}}", both[1],
		}, io.EOF},
		{"object before type", `{"object":{"a":1},"type":"DELETED"}`, []string{`DELETED {"a":1}`}, io.EOF},
		{"more members", `{"x":[{"type":"no"}],"type":"DELETED","object":{},"y":{}}`, []string{`DELETED {}`}, io.EOF},
		{"escaped type", `{"\u0074ype":"\u0041DDED","object":{}}`, []string{`ADDED {}`}, io.EOF},
		{
			"bare status", `{"kind":"Status","code":410}`,
			[]string{`ERROR {"kind":"Status","code":410}`},
			io.EOF,
		},
		{"lone surrogate and a bad byte", "{\"type\":\"ADDED\",\"object\":{\"a\":\"\xd4\"}}", []string{"ADDED {\"a\":\"\xd4\"}"}, io.EOF},
		{"cut", added + modified[:20], both[:1], io.ErrUnexpectedEOF},
		{"cut before the last brace", added[:len(added)-1], nil, io.ErrUnexpectedEOF},
		{"text", "404 page not found\n", nil, wire.ErrSyntax},
		{"text after a frame", added + "\n<html>", both[:1], wire.ErrSyntax},
		{"an array", "[1]", nil, wire.ErrSyntax},
		{"syntax inside the object", `{"type":"ADDED","object":{"a":1,}}`, nil, wire.ErrSyntax},
		{"no type", `{"object":{}}`, nil, wire.ErrSyntax},
		{"no object", `{"type":"ADDED"}`, nil, wire.ErrSyntax},
		{"object is none", `{"type":"ADDED","object":[]}`, nil, wire.ErrSyntax},
		{"type is a number", `{"type":1,"object":{}}`, nil, wire.ErrSyntax},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":        strings.NewReader(tt.body),
				"byte by byte": iotest.OneByteReader(strings.NewReader(tt.body)),
				"error early":  iotest.DataErrReader(strings.NewReader(tt.body)),
			} {
				frames, err := read(r)
				if d := cmp.Diff(tt.want, frames); d != "" {
					t.Errorf("%s: (-want +got)\n%s", how, d)
				}
				if !errors.Is(err, tt.end) {
					t.Errorf("%s: ended with %v, want %v", how, err, tt.end)
				}
			}
		})
	}
}

func TestErrorOfTheReader(t *testing.T) {
	reset := errors.New("connection reset")
	frames, err := read(io.MultiReader(strings.NewReader(added+modified[:9]), iotest.ErrReader(reset)))
	if len(frames) != 1 || !errors.Is(err, reset) {
		t.Errorf("got %d frames and %v, want one, and the reader's own error", len(frames), err)
	}
}

func TestDeliversBeforeTheNextByte(t *testing.T) {
	r, w := io.Pipe()
	f := wire.NewFrames(r, limit)
	go func() { _, _ = io.WriteString(w, added) }()
	if ev, err := f.Next(); ev.Type != "ADDED" || err != nil {
		t.Errorf("got %q, %v", ev.Type, err)
	}
	w.CloseWithError(io.EOF)
	if _, err := f.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
}

func TestLarge(t *testing.T) {
	large := func(n int) string { return `{"type":"ADDED","object":{"a":"` + strings.Repeat("x", n) + `"}}` }
	frames, err := read(io.MultiReader(strings.NewReader(large(3<<20)), strings.NewReader(added)))
	if len(frames) != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("3 MiB: got %d frames and %v, want two", len(frames), err)
	}
	if frames, err = read(strings.NewReader(added + large(20<<20))); len(frames) != 1 || !errors.Is(err, wire.ErrTooLarge) {
		t.Errorf("20 MiB: got %d frames and %v, want one, then too large", len(frames), err)
	}
	if ev, err := wire.NewFrames(strings.NewReader(large(20<<20)), 0).Next(); err != nil || len(ev.Object) < 20<<20 {
		t.Errorf("20 MiB without a limit: got %d bytes and %v", len(ev.Object), err)
	}
}

// An idle watch holds no more than an ordinary buffer, however large the last event was.
func TestLargeBufferIsNotKept(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	f := wire.NewFrames(r, limit)
	go func() {
		_, _ = io.WriteString(w, `{"type":"ADDED","object":{"a":"`+strings.Repeat("x", 8<<20)+"\"}}\n")
	}()
	if _, err := f.Next(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := f.Next()
		done <- err
	}()
	for range 2 { // once the second frame is taken, the reader waits for more
		_, _ = io.WriteString(w, " ")
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 6<<20 {
		t.Errorf("%d MiB are held, want no large buffer", m.HeapAlloc>>20)
	}
	w.CloseWithError(io.EOF)
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end", err)
	}
}

// FuzzNext checks that cutting the body in other places changes nothing, and that delivered objects
// are valid.
func FuzzNext(f *testing.F) {
	for _, seed := range []string{
		added + "\n" + modified, added[:30], `{"kind":"Status"}`, "\r\n{}", `{"type":"A","object":{"a":[1,{"b":"\ud800"}]}}x`,
		`{"object":{},"object":{"a":1},"type":"B","type":"C"}`, "{\"type\":\"\xff\",\"object\":{}}", `{"type":null,"object":null}`,
		`{"type":"BOOKMARK","object":{"kind":"Job","metadata":{"resourceVersion":"2000","creationTimestamp":null}}}`,
	} {
		f.Add([]byte(seed), uint8(7))
	}
	f.Fuzz(func(t *testing.T, body []byte, cut uint8) {
		whole, end := read(strings.NewReader(string(body)))
		pieces, pieceEnd := read(&chopped{body, int(cut)%13 + 1})
		if d := cmp.Diff(whole, pieces); d != "" {
			t.Errorf("cut into pieces it reads otherwise (-whole +pieces)\n%s", d)
		}
		if fmt.Sprint(end) != fmt.Sprint(pieceEnd) {
			t.Errorf("whole it ends with %v, in pieces with %v", end, pieceEnd)
		}
		for _, s := range whole {
			_, object, _ := strings.Cut(s, " {")
			v := jsontext.Value("{" + object)
			if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
				t.Errorf("%q is not sound", s)
			}
		}
	})
}

// FuzzSound checks that an object is accepted exactly if the JSON decoder accepts it.
func FuzzSound(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":[1,-0,0.5,1e9,1E-2,true,false,null,"\u00e9\n"]}`, `{"a":01}`, `{"a":1.}`, `{"a":-}`, `{"a":1e}`, `{"a":"\x"}`,
		`{"a":"\u12g4"}`, "{\"a\":\"\n\"}", `{"a":tru}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":[}`, `[1]`, `{"a":nul`, `{"a":[[[]]]}`,
		"{\"a\":\"1234567\x1f\"}", "{\"a\":\"12345678\xff\\\"9\"}", `{"":{"":""}}`, "{\u00a0}", `{"a":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		v := jsontext.Value(object)
		sound := v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) && v.Kind() == '{'
		ev, err := wire.NewFrames(strings.NewReader(`{"type":"ADDED","object":`+string(object)+"}\n"), limit).Next()
		// An invalid object may close the frame early, and is then another object.
		if taken := err == nil && string(ev.Object) == strings.Trim(string(object), " \t\r\n"); taken != sound {
			t.Errorf("%q: taken %v (%v), want %v", object, taken, err, sound)
		}
	})
}

type chopped struct {
	body []byte
	n    int
}

func (c *chopped) Read(p []byte) (int, error) {
	if len(c.body) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.n)], c.body)
	c.body = c.body[n:]
	return n, nil
}

func BenchmarkNext(b *testing.B) {
	object := `{"metadata":{"name":"web-1"},"spec":{"containers":[` + strings.Repeat(`{"name":"c","image":"registry/app:v1","args":["a","b"],"n":12},`, 70) + `{}]}}`
	line := `{"type":"MODIFIED","object":` + object + "}\n"
	r := wire.NewFrames(&endless{line: line}, limit)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

type endless struct {
	line string
	at   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], e.line[e.at:])
		n += c
		e.at = (e.at + c) % len(e.line)
	}
	return n, nil
}
