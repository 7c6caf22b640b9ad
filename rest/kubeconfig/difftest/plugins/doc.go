// Package plugins holds how credential plugins are run, and what becomes of what they print,
// against client-go.
package plugins
