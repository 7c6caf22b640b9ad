package rest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// What a watch and its list bring has a name, one that can be remembered. A bookmark needs none.
func TestObjectsOfAWatchHaveANameThatCanBeKept(t *testing.T) {
	long, most := strings.Repeat("x", 4097), strings.Repeat("x", 4096)
	for metadata, want := range map[string]string{
		`"name":"web","uid":"u"`:                     "",
		`"name":"` + most + `","uid":"` + most + `"`: "",
		`"uid":"u"`:             "without a name",
		`"name":""`:             "without a name",
		`"name":null`:           "without a name",
		`"generateName":"web-"`: "without a name",
		`"name":"` + long + `"`: "longer than 4096 bytes",
		`"name":"web","namespace":"` + long + `"`: "longer than 4096 bytes",
		`"name":"web","uid":"` + long + `"`:       "longer than 4096 bytes",
	} {
		object := `{"kind":"Pod","apiVersion":"v1","metadata":{` + metadata + `,"resourceVersion":"7"}}`
		c, _ := scripted(t,
			ok(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+object+`]}`),
			ok(`{"type":"ADDED","object":`+object+"}\n"+`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"8"}}}`+"\n"))
		e := rest.For[rest.Object](c, "Pod").Endpoint()
		_, listed := e.List(t.Context(), rest.ListOptions{}, everyPage, func(rest.Item) error { return nil })
		frames, err := e.Watch(t.Context(), rest.WatchOptions{Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		frame, err := frames.Next()
		bookmark, end := frames.Next()
		frames.Close()
		if err := errors.Join(err, end, bookmark.Err); err != nil {
			t.Fatal(err)
		}
		if n := len(frame.Key.Name) + len(frame.Key.Namespace) + len(frame.UID); n > 2*len(long) {
			t.Errorf("%.40s: what is told of it has %d bytes", metadata, n)
		}
		for who, err := range map[string]error{"list": listed, "watch": frame.Err} {
			if (err == nil) != (want == "") || err != nil && (!errors.Is(err, rest.ErrAnswer) || !strings.HasSuffix(fmt.Sprint(err), want)) {
				t.Errorf("%s of %.40s: %v, want %q", who, metadata, err, want)
			}
		}
	}
}
