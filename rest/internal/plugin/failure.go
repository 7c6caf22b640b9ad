package plugin

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"

	"github.com/tideway-go/tideway/rest/internal/line"
	"github.com/tideway-go/tideway/rest/internal/redact"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

const (
	maxHint  = 1 << 10
	maxShown = 2 << 10 // bytes of the standard error in an error
)

// missing returns the error for a program that cannot be found.
func missing(x *kubeconfig.Exec, err error) error {
	// The error repeats the command: keep only the reason.
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if hint := line.Bounded(x.InstallHint, maxHint); hint != "" {
		return line.Errorf("%w; to install it: %s", err, hint)
	}
	return err
}

// failed returns the error for a program that failed.
func failed(x *kubeconfig.Exec, err error, stderr []byte) error {
	text := redact.Text(string(stderr), given(x), true)
	if text = line.Bounded(text, maxShown); text != "" {
		return line.Errorf("%w: %s", err, text)
	}
	return err
}

// given returns what the program was given, and what it found in the environment of this process.
func given(x *kubeconfig.Exec) redact.Values {
	v := redact.Values{}
	for _, e := range x.Env {
		v.Add(string(e.Value))
	}
	v.AddArguments(x.Args)
	v.AddVariables(os.Environ())
	v.AddText(string(x.ClusterConfig))
	return v
}

// short returns, for an error, the beginning of a text that the program printed.
func short(x *kubeconfig.Exec, text string) string {
	const most = 64
	return line.Bounded(redact.Text(text, given(x), true), most)
}
