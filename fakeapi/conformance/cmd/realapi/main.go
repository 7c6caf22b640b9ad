// Command realapi runs a real etcd and kube-apiserver on loopback until it is interrupted.
//
//	go run ./cmd/realapi              # prints how to reach the server
//	go run ./cmd/realapi -build       # only builds them, for instance before go test, which has a timeout
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
)

func main() {
	build := flag.Bool("build", false, "only build etcd and kube-apiserver")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) //nolint:forbidigo // main has no caller
	err := run(ctx, os.Stdout, *build)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, build bool) error {
	if build {
		for _, t := range []realapi.Tool{realapi.Etcd, realapi.APIServer} {
			bin, err := realapi.Build(ctx, os.Stderr, t)
			if err != nil {
				return err
			}
			fmt.Fprintln(out, bin)
		}
		return nil
	}
	server, err := realapi.Start(ctx, realapi.Options{})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "realapi-kubeconfig-")
	if err != nil {
		return errors.Join(err, server.Stop())
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(path, server.Kubeconfig(realapi.Admin), 0o600); err != nil {
		return errors.Join(err, server.Stop())
	}
	fmt.Fprintf(out, "server:     %s\ntoken:      %s\nkubeconfig: %s\n", server.URL(), realapi.Admin.Token, path)
	<-ctx.Done()
	return server.Stop()
}
