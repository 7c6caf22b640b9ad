// Command tables writes the generated tables of the project from what a real kube-apiserver says
// about itself.
//
//	go run ./cmd/tables ../..  # the root of the repository
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/tideway-go/tideway/fakeapi/conformance/tables"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) //nolint:forbidigo // main has no caller
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: tables <root of the repository>")
	}
	files, err := tables.Generate(ctx, os.Stderr)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(args[0], filepath.FromSlash(f.Path)), f.Source, 0o644); err != nil { //nolint:gosec // a source file
			return err
		}
	}
	return nil
}
