// Package codec has no code but tests: rest decodes and encodes every kind of k8s.io/api as the
// Kubernetes libraries do.
package codec
