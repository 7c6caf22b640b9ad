package tables

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tideway-go/tideway/fakeapi/conformance/realapi"
	"github.com/tideway-go/tideway/rest"
)

// client asks a server by itself, and not through package rest, whose table it makes.
type client struct {
	transport *http.Transport
	url       string
}

func newClient(server *realapi.Server) *client {
	return &client{transport: server.Transport(), url: server.URL()}
}

// open sends a GET, and returns an answer whose status is 200.
func (c *client) open(ctx context.Context, path, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+realapi.Admin.Token)
	req.Header.Set("Accept", accept)
	resp, err := (&http.Client{Transport: c.transport}).Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	return resp, nil
}

// get decodes the answer to a GET.
func (c *client) get(ctx context.Context, path, accept string, into any) error {
	resp, err := c.open(ctx, path, accept)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// facts asks for everything that the tables are made of.
func (c *client) facts(ctx context.Context) (*facts, error) {
	f, err := c.discovered(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.get(ctx, "/openapi/v2", "application/json", &f.types); err != nil {
		return nil, err
	}
	f.zero = make(map[string]string)
	for _, k := range f.kinds {
		if !canWatch(&k) {
			continue
		}
		object, err := c.empty(ctx, k.Kind)
		if err != nil {
			return nil, fmt.Errorf("the empty %s: %w", k.Kind, err)
		}
		if object != "{}" {
			f.zero[k.Kind.String()] = object
		}
	}
	return f, nil
}

// empty returns the object that bookmarks of a kind carry, without its type and metadata: an object
// without content, with the members that are always written.
func (c *client) empty(ctx context.Context, k rest.Kind) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	path := "/apis/" + k.APIVersion() + "/" + k.Plural
	if k.Group == "" {
		path = "/api/" + k.Version + "/" + k.Plural
	}
	resp, err := c.open(ctx, path+"?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "application/json")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	events := json.NewDecoder(bufio.NewReader(resp.Body))
	for {
		var event struct {
			Type   string
			Object map[string]any
		}
		if err := events.Decode(&event); err != nil {
			return "", err
		}
		if event.Type != "BOOKMARK" {
			continue
		}
		for _, member := range []string{"kind", "apiVersion", "metadata"} {
			delete(event.Object, member)
		}
		object, err := json.Marshal(event.Object)
		return string(object), err
	}
}
