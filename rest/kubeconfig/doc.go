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
// Nothing is connected to, and nothing is written. Files are found and merged as kubectl does,
// relative paths are those of the file that holds them, and inline data wins over files. Token
// files are not read here but by the client, again and again. What a kubeconfig asks for and this
// package cannot do is an error, never ignored; fields that it does not know are.
//
// # Errors
//
// An error names the file, the entry, and the reason, on one line. It never repeats a token, a
// password, a key, or a value of a file that cannot be read. [ErrNoConfig] is matched where there
// is nothing to load.
package kubeconfig
