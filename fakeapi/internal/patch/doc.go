// Package patch applies patches to the values that JSON decodes to: JSON patches (RFC 6902), merge
// patches (RFC 7386) and strategic merge patches.
//
// It does what kube-apiserver 1.37 does, and knows nothing of servers, requests or objects. What a
// strategic merge patch has to know of the built-in types is in a generated table.
package patch
