//go:build !unix

package realapi

import "os"

var terminate = os.Kill

// startGuarded only starts the process: on this system nothing ends it when this program is killed.
func (p *process) startGuarded() (release func(), err error) {
	return func() {}, p.cmd.Start()
}
