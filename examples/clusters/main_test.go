package main

import (
	"bytes"
	"context"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Both clusters are followed to the end, and an outage of one is told and gets over.
func TestTwoClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		clients, err := living(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		follow(ctx, &out, clients)
		cancel()
		for _, client := range clients {
			client.CloseIdle()
		}
		for _, line := range []string{
			`east deployments: ADDED shop: 0 of 3 ready`, `west nodes: ADDED west-1: ready: True`, `all clusters are listed`,
			`west \w+: WATCHFAILED watch (Deployment|Node) failed, retrying in .+: HTTP 503 .+`,
			`west deployments: RECOVERED after .+`,
			`east deployments: MODIFIED shop: 3 of 3 ready`, `west deployments: MODIFIED shop: 3 of 3 ready`,
		} {
			if !regexp.MustCompile("(?m)^" + line + "$").Match(out.Bytes()) {
				t.Errorf("no line fits %s", line)
			}
		}
		if t.Failed() {
			t.Log(out.String())
		}
	})
}
