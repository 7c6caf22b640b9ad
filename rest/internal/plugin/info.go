package plugin

import (
	"encoding/json"
	"fmt"

	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// Cluster is the information about the cluster that a program can receive.
type Cluster struct {
	Server             string          `json:"server"`
	ServerName         string          `json:"tls-server-name,omitempty"`
	Insecure           bool            `json:"insecure-skip-tls-verify,omitempty"`
	CAData             []byte          `json:"certificate-authority-data,omitempty"`
	ProxyURL           string          `json:"proxy-url,omitempty"`
	DisableCompression bool            `json:"disable-compression,omitempty"`
	Config             json.RawMessage `json:"config,omitempty"`
}

// info is the content of the variable KUBERNETES_EXEC_INFO.
type info struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Spec       spec   `json:"spec"`
}

type spec struct {
	Cluster     *Cluster `json:"cluster,omitempty"`
	Interactive bool     `json:"interactive"`
}

// encodeInfo encodes the information for the program.
func encodeInfo(x *kubeconfig.Exec, c *Cluster, interactive bool) ([]byte, error) {
	i := info{Kind: "ExecCredential", APIVersion: x.APIVersion, Spec: spec{Interactive: interactive}}
	if x.ProvideClusterInfo {
		i.Spec.Cluster = c
	}
	raw, err := json.Marshal(i)
	if err != nil {
		return nil, fmt.Errorf("its ClusterConfig is not valid JSON (%T)", err)
	}
	return raw, nil
}
