// Package difftest holds the loading of kubeconfigs against client-go's. It has a module of its
// own, since the library depends on nothing of Kubernetes.
package difftest
