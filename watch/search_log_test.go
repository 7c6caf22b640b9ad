package watch_test

import (
	"fmt"
	"strings"
	"time"
)

// short formats the pieces of a body.
func short(pieces []any) string {
	s := fmt.Sprint(pieces...)
	for _, cut := range [][2]string{
		{`"kind":"Pod","apiVersion":"v1",`, ""},
		{`"namespace":"default",`, ""},
		{`"kind":"PodList","apiVersion":"v1",`, ""},
		{`"kind":"Status","apiVersion":"v1","status":"Failure",`, ""},
		{`"metadata":`, ""},
		{`"object":`, ""},
		{`"resourceVersion":`, "@"},
		{"\n", " "},
		{`"`, ""},
	} {
		s = strings.ReplaceAll(s, cut[0], cut[1])
	}
	return s
}

// log returns what happened.
func (v *verdict) log() string {
	var b strings.Builder
	start := time.Time{}
	n := 0
	for i, a := range v.server.asked {
		if i == 0 {
			start = a.at
		}
		for ; n < len(v.events) && v.events[n].requests <= i; n++ {
			fmt.Fprintf(&b, "  %v %s\n", v.events[n].at.Sub(start), line(v.events[n].Event))
		}
		if i > 80 {
			break
		}
		fmt.Fprintf(&b, "%d %v %s %s: %d %s\n", i, a.at.Sub(start), a.verb, a.version, a.reply.code, short(a.reply.pieces))
	}
	return b.String()
}
