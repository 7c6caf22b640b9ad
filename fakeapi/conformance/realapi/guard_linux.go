package realapi

import "syscall"

var terminate = syscall.SIGTERM

// startGuarded starts the process so that the kernel kills it when the calling thread is gone.
//
// The caller has locked its goroutine to the thread and keeps it until the process has ended; the
// thread then dies early only together with the whole program, however that ends. (os/exec closes
// the gap between fork and prctl: the child looks whether its parent is still the same.) A group of
// its own keeps Ctrl-C from the terminal away, so that Stop can end the servers in order.
func (p *process) startGuarded() (release func(), err error) {
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return func() {}, p.cmd.Start()
}
