package conformance_test

import (
	"flag"
	"os"
	"testing"

	"github.com/tideway-go/tideway/fakeapi/conformance"
)

func TestMain(m *testing.M) {
	// Rows spend most of their time waiting for the servers. The command line still wins.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	os.Exit(conformance.Main(m))
}
