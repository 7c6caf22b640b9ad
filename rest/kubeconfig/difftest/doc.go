// Package difftest compares the loading of kubeconfigs with client-go's. It has its own module
// because the library does not depend on Kubernetes.
package difftest
