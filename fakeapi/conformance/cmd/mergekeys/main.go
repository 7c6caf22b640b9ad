// Command mergekeys writes what a strategic merge patch has to know of the built-in kinds, from the OpenAPI document of
// a real kube-apiserver that it starts.
//
//	go run ./cmd/mergekeys -o ../mergekeys.go
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
)

func main() {
	path := flag.String("o", "", "the Go file to write")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) //nolint:forbidigo // main has no caller
	err := run(ctx, *path)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string) error {
	if path == "" {
		return errors.New("mergekeys: -o is needed")
	}
	doc, err := read(ctx)
	if err != nil {
		return fmt.Errorf("mergekeys: %w", err)
	}
	source, err := doc.source()
	if err != nil {
		return fmt.Errorf("mergekeys: %w", err)
	}
	return os.WriteFile(path, source, 0o644) //nolint:gosec // source code
}

// read asks a server with all its APIs switched on for its document.
func read(ctx context.Context) (doc document, err error) {
	server, err := realapi.Start(ctx, realapi.Options{APIServerFlags: []string{"--runtime-config=api/all=true"}})
	if err != nil {
		return doc, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	transport := server.Transport()
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL()+"/openapi/v2", http.NoBody)
	if err != nil {
		return doc, err
	}
	req.Header.Set("Authorization", "Bearer "+realapi.Admin.Token)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return doc, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return doc, fmt.Errorf("/openapi/v2: %s", resp.Status)
	}
	return doc, json.NewDecoder(resp.Body).Decode(&doc)
}
