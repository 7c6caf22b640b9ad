// Package kubeconfig finds out where a cluster is and who is asking.
//
// A [Config] comes from a kubeconfig, from the service account of a pod, or from the program
// itself:
//
//	cfg, err := kubeconfig.Load(kubeconfig.Options{})
//	if err != nil {
//		return err
//	}
//	client, err := rest.New(cfg, rest.Options{})
//
// # Guarantees
//
//   - Loading opens no connection and writes nothing.
//   - Files are found and merged the way kubectl does it. Relative paths are relative to the file
//     that contains them, and inline data wins over files.
//   - Token files are not read here: the client reads them, again and again.
//   - If a kubeconfig asks for something that this package cannot do, that is an error; it is never
//     ignored. Unknown fields are ignored.
//
// Most programs call [Load] with zero options and get what kubectl would use on a laptop and the
// service account inside a pod, without any code to tell the two apart. You can print, log or
// marshal a [Config] without a second thought: secrets show up as "[redacted]". If something is
// wrong with the file, the error tells you which entry to fix.
//
// # Errors
//
// An error names the file, the entry and the reason, on one line. It never repeats a token, a
// password, a key, or a value of a file that cannot be parsed. If there is nothing to load, the
// error matches [ErrNoConfig].
package kubeconfig
