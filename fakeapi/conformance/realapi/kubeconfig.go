package realapi

import (
	"encoding/base64"
	"fmt"
)

const kubeconfigFormat = `apiVersion: v1
kind: Config
current-context: realapi
contexts:
- name: realapi
  context: {cluster: realapi, user: %[1]q, namespace: default}
clusters:
- name: realapi
  cluster: {server: %[2]q, certificate-authority-data: %[3]s}
users:
- name: %[1]q
  user: {token: %[4]q}
`

// Kubeconfig returns a kubeconfig with which a user reaches the server.
func (s *Server) Kubeconfig(u User) []byte {
	ca := base64.StdEncoding.EncodeToString(s.CA())
	return fmt.Appendf(nil, kubeconfigFormat, u.Name, s.URL(), ca, u.Token)
}
