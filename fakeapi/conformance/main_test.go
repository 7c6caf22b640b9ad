package conformance_test

import (
	"flag"
	"os"
	"testing"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

func TestMain(m *testing.M) {
	// Rows wait for the servers most of the time. The command line still wins.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(conformance.Main(m))
}
