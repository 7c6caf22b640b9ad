package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"go.uber.org/goleak"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Everything that can happen has happened within 20 seconds, including a relist.
func TestLivingCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client, err := living(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		start := time.Now()
		err = follow(ctx, &out, rest.For[corev1.Pod](client, "Pod"), watch.Options{}, 20*time.Second)
		if d := time.Since(start); err != nil || d != 20*time.Second {
			t.Errorf("it ended with %v after %v", err, d)
		}
		cancel()
		client.CloseIdle()
		for _, line := range []string{
			`ADDED default/web-0 Pending`, `MODIFIED default/\w+-\d Running`, `DELETED default/\w+-\d Succeeded`, `SYNCED`,
			`WATCHFAILED watch Pod failed, retrying in [0-9.]+m?s: .+`,
			`ADDED \d+, MODIFIED \d+, DELETED \d+, SYNCED \d+, ERROR 0, WATCHFAILED \d+, RECOVERED \d+`,
			`RECOVERED after [0-9.]+m?s and \d failed attempts?`,
		} {
			if !regexp.MustCompile("(?m)^" + line + "$").Match(out.Bytes()) {
				t.Errorf("no line fits %s", line)
			}
		}
		if n := strings.Count(out.String(), "\nSYNCED\n"); n < 2 {
			t.Errorf("%d lists, want a relist", n)
		}
		if t.Failed() {
			t.Log(out.String())
		}
	})
}
