// Package mergetable generates fakeapi's table for strategic merge patches from the OpenAPI
// document of a real kube-apiserver.
package mergetable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
)

// Generate starts a server, reads its document, and returns the Go source of the table.
func Generate(ctx context.Context) ([]byte, error) {
	doc, err := read(ctx)
	if err != nil {
		return nil, fmt.Errorf("mergetable: %w", err)
	}
	source, err := doc.source()
	if err != nil {
		return nil, fmt.Errorf("mergetable: %w", err)
	}
	return source, nil
}

// read fetches the document of a server with all its APIs switched on.
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
