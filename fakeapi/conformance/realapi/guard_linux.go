package realapi

import "syscall"

var terminate = syscall.SIGTERM

// startGuarded starts the process so that the kernel kills it when the calling thread is gone.
//
// The caller has locked its goroutine to the thread and keeps it until the process has ended, so
// the thread dies early only together with the whole program, however that ends. (os/exec closes
// the gap between fork and prctl: the child checks whether its parent is still the same.) The
// process gets its own group, so that Ctrl-C in the terminal does not reach it and Stop can end the
// servers in order.
func (p *process) startGuarded() (release func(), err error) {
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return func() {}, p.cmd.Start()
}
