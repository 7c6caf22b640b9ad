package rest_test

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(pluginFolder); dir != "" {
		os.Exit(runPlugin(dir))
	}
	if server := os.Getenv(envProxy); server != "" {
		os.Exit(runEnvProxy(server))
	}
	// A test that waits in real time does not keep another one from running.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
