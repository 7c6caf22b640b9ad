// Package memnet is a network in memory: a listener, and connections that behave as those of TCP.
//
// Nothing leaves the process, and nothing blocks outside channels, conditions and timers: inside
// testing/synctest, a goroutine that waits for this network is durably blocked. A connection can be
// reset, its writers block while a window is full, and its deadlines work.
package memnet
