// Package plugins compares with client-go how credential plugins are run and how their output is
// used.
package plugins
