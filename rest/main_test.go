package rest_test

import (
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
	goleak.VerifyTestMain(m)
}
