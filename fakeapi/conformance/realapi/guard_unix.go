//go:build unix && !linux

package realapi

import "syscall"

var terminate = syscall.SIGTERM

// startGuarded starts the process, and a watchdog that kills it when this program is gone.
func (p *process) startGuarded() (release func(), err error) {
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	release, err = watchdog(p.cmd.Process.Pid)
	if err != nil {
		_ = p.cmd.Process.Kill() // err says why
		_ = p.cmd.Wait()
	}
	return release, err
}
