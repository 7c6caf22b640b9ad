// Command kinds writes the table of built-in kinds of package rest from what a real kube-apiserver tells of itself.
//
//	go run ./cmd/kinds ../../rest/kinds_table.go
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/tideway-go/tideway/fakeapi/conformance/kindtable"
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
		return errors.New("usage: kinds <file>")
	}
	source, err := kindtable.Generate(ctx, os.Stderr)
	if err != nil {
		return err
	}
	return os.WriteFile(args[0], source, 0o644) //nolint:gosec // a source file
}
