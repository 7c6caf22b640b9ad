// Package wire reads what Kubernetes servers send: JSON, the identity of an object in it, and the
// frames of a watch. It knows no types and no HTTP.
//
// There is one scanner, in scan.go. It checks everything that it passes: a text that ends too early
// is cut, any other invalid text is bad. [Cursor] walks over members with it, [ReadIdentity] and
// [ParseAny] are built on the cursor, and [Frames] cuts a stream into events.
package wire
