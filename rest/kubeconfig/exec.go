package kubeconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tideway-go/tideway/rest/internal/line"
)

// The versions of the protocol between the client and credential plugins.
const (
	ExecV1      = "client.authentication.k8s.io/v1"
	ExecV1beta1 = "client.authentication.k8s.io/v1beta1"
)

// InteractiveMode says whether a credential plugin may ask the user.
type InteractiveMode string

// The modes of a credential plugin; it can ask if the standard input of this process is a terminal.
const (
	InteractiveNever       InteractiveMode = "Never"
	InteractiveIfAvailable InteractiveMode = "IfAvailable"
	InteractiveAlways      InteractiveMode = "Always" // an error if there is no terminal
)

// Exec is a credential plugin: a program that prints credentials.
//
// When printed, an Exec shows neither arguments nor environment, which may contain secrets.
type Exec struct {
	// APIVersion is [ExecV1] or [ExecV1beta1]; the program must answer in the same version.
	APIVersion string

	// Command is the program: a path, or a name that is looked up in PATH. Neither it nor the
	// arguments pass through a shell.
	Command string

	// Args are the arguments of the program.
	Args []string

	// Env is added to the environment that the program inherits.
	Env []EnvVar

	// InstallHint says how to get the program if it is missing.
	InstallHint string

	// ProvideClusterInfo passes information about the cluster to the program.
	ProvideClusterInfo bool

	// ClusterConfig is the JSON that the cluster's entry holds for the program, in the extension
	// client.authentication.k8s.io/exec. It is part of the information about the cluster.
	ClusterConfig []byte

	// Interactive says whether the program may ask the user. When no request waits for it any more,
	// a program that may not ask is killed with everything that it started; one that asks shares
	// the terminal with this process, so it is killed alone, and its children may go on. Default:
	// IfAvailable for v1beta1; v1 requires a value.
	Interactive InteractiveMode

	// StdinTaken says that this process reads its standard input itself: IfAvailable then means
	// Never, and Always is an error.
	StdinTaken bool
}

// EnvVar is an environment variable.
type EnvVar struct {
	Name  string
	Value Secret
}

// String returns the variable in the form name=value, with the value hidden.
func (v EnvVar) String() string { return v.Name + "=" + v.Value.String() }

// Format writes the result of String, whatever the verb.
func (v EnvVar) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, v.String()) }

// String names the program and nothing else.
func (e Exec) String() string { return fmt.Sprintf("kubeconfig.Exec{command: %q}", e.Command) }

// GoString returns the result of String.
func (e Exec) GoString() string { return e.String() }

// Format writes the result of String, whatever the verb.
func (e Exec) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.String()) }

// MarshalText returns the result of String; encoders of JSON and YAML use it.
func (e Exec) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// MarshalBinary returns the result of String; gob uses it.
func (e Exec) MarshalBinary() ([]byte, error) { return e.MarshalText() }

// Validate returns an error that says what is missing or wrong, without showing a secret.
func (e Exec) Validate() error {
	switch e.APIVersion {
	case ExecV1, ExecV1beta1:
	case "":
		return errors.New("exec: apiVersion is missing")
	default:
		return line.Errorf("exec: apiVersion %q is neither %s nor %s", e.APIVersion, ExecV1, ExecV1beta1)
	}
	if e.Command == "" {
		return errors.New("exec: command is missing")
	}
	for _, v := range e.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(string(v.Value), "\x00") {
			return errors.New("exec: a variable in env has no name, or a name or value that no environment can carry")
		}
	}
	switch e.Mode() {
	case InteractiveNever, InteractiveIfAvailable, InteractiveAlways:
		return nil
	case "":
		return errors.New("exec: interactiveMode is missing; v1 requires Never, IfAvailable or Always")
	default:
		return line.Errorf("exec: interactiveMode %q is not one of Never, IfAvailable, Always", e.Interactive)
	}
}

// Mode returns Interactive, or the default of the API version.
func (e Exec) Mode() InteractiveMode {
	if e.Interactive == "" && e.APIVersion == ExecV1beta1 {
		return InteractiveIfAvailable
	}
	return e.Interactive
}

// execEntry is a credential plugin as a kubeconfig describes it.
type execEntry struct {
	APIVersion         string   `yaml:"apiVersion"`
	Command            string   `yaml:"command"`
	Args               []string `yaml:"args"`
	Env                []envVar `yaml:"env"`
	InstallHint        string   `yaml:"installHint"`
	ProvideClusterInfo bool     `yaml:"provideClusterInfo"`
	InteractiveMode    string   `yaml:"interactiveMode"`
}

type envVar struct {
	Name  string `yaml:"name"`
	Value string `yaml:"value"`
}

// exec returns the plugin that the entry describes; f is the file that contains the entry.
func (e *execEntry) exec(f *file) (*Exec, error) {
	x := &Exec{
		APIVersion:         e.APIVersion,
		Command:            e.Command,
		Args:               e.Args,
		InstallHint:        e.InstallHint,
		ProvideClusterInfo: e.ProvideClusterInfo,
		Interactive:        InteractiveMode(e.InteractiveMode),
	}
	for _, v := range e.Env {
		x.Env = append(x.Env, EnvVar{v.Name, Secret(v.Value)})
	}
	x.Interactive = x.Mode()
	if strings.ContainsRune(x.Command, filepath.Separator) {
		x.Command = f.path(x.Command) // a bare name is looked up in PATH
	}
	return x, x.Validate()
}

// execExtension is the name of the extension in which a cluster's entry holds data for plugins.
const execExtension = "client.authentication.k8s.io/exec"

// execConfig returns, as JSON, the data that the cluster's entry holds for plugins.
func execConfig(c *clusterEntry) ([]byte, error) {
	var found []byte
	for i := range c.Extensions {
		if c.Extensions[i].Name != execExtension {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("extension %s appears twice", execExtension)
		}
		var v any
		plain(&c.Extensions[i].Extension)
		if err := c.Extensions[i].Extension.Decode(&v); err != nil {
			return nil, fmt.Errorf("extension %s: %s", execExtension, yamlReason(err))
		}
		var err error
		if found, err = json.Marshal(v); err != nil {
			return nil, fmt.Errorf("extension %s cannot be written as JSON", execExtension)
		}
	}
	return found, nil
}

// plain replaces what JSON does not have: timestamps and names of members become strings, spelled
// as they are in the file.
func plain(n *yaml.Node) {
	if n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for i, c := range n.Content {
		plain(c)
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode && c.ShortTag() != "!!merge" {
			c.Tag = "!!str"
		}
	}
}
