// Command program is a credential plugin that does what a test asks for.
package main

import (
	"os"

	"github.com/tideway-go/tideway/rest/kubeconfig/difftest/plugins/play"
)

func main() { os.Exit(play.Run()) }
