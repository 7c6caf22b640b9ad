package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"unicode"
	"unicode/utf8"

	"github.com/tideway-go/tideway/stream"
)

// FieldValidation says what a server does with unknown and duplicate fields.
type FieldValidation string

// The ways to validate fields.
const (
	FieldsIgnored FieldValidation = "Ignore" // dropped silently
	FieldsWarned  FieldValidation = "Warn"   // dropped with a [Warning]: the default of servers
	FieldsStrict  FieldValidation = "Strict" // refused: the error matches [ErrBadRequest]
)

// defaultMaxObject is the default of [CallOptions].MaxObject, in bytes.
const defaultMaxObject = 32 << 20

const (
	maxErrorRead = 1 << 20 // of a refusal's body, to decode it
	maxErrorBody = 8 << 10 // of it, to be kept by default
)

// CallOptions change how a handle sends its requests and takes their answers. [Options].Defaults
// sets them for a client, [Resource.With] for a handle.
type CallOptions struct {
	// FieldManager is the name under which the server records who set a field: up to 128 printable
	// characters. Default: the server derives it from the user agent; Apply needs one.
	FieldManager string
	// FieldValidation is for create, update and patch. Default: the server's, which is to warn.
	FieldValidation FieldValidation
	// DryRun makes the server do everything but store: it answers with what would have been stored.
	DryRun bool
	// Force lets Apply take over the fields that other managers own. Default: they are a conflict.
	Force bool
	// Replace lets Update and UpdateStatus send a struct that cannot hold a whole object: fields
	// that it does not have are lost. Default: such a type is refused.
	Replace bool
	// Retry sends failed requests again, after delays as in [stream.Backoff]: Backoff{MaxRetries:
	// 3} tries three times more, after 1, 2 and 4 seconds. Without MaxRetries, only the context
	// limits it; [stream.NoRetries] overrides a default of the client. Default: never.
	//
	// A get or a list is sent again if it got no complete answer, or 429, 500, 502, 503 or 504; a
	// write only if the server rejected it with 429 or 503 and said when to come again. The delay
	// is at least what the server asks for; if that is more than [stream.MaxRetryAfter], its
	// refusal is the answer. An eviction that a disruption budget forbids is not sent again.
	Retry stream.Backoff
	// Warnings receives the server's warnings. Sends never wait: without a buffer, warnings are
	// lost. The channel is never closed and may serve many handles. Each request of a watch reports
	// its own, so the same warning can come again. Default: warnings are dropped.
	Warnings chan<- Warning
	// MaxObject limits an answer, or an item of a list or a watch, in bytes. Default: 32 MiB; -1:
	// no limit.
	MaxObject int64
	// MaxErrorBody is how much of a refusal's body a [StatusError] keeps, in bytes, up to 1 MiB.
	// Default: 8 KiB; -1: none.
	MaxErrorBody int
}

// with returns a copy in which the options that o sets replace those of c.
func (c CallOptions) with(o *CallOptions) CallOptions {
	if o.FieldManager != "" {
		c.FieldManager = o.FieldManager
	}
	if o.FieldValidation != "" {
		c.FieldValidation = o.FieldValidation
	}
	c.DryRun = c.DryRun || o.DryRun
	c.Force = c.Force || o.Force
	c.Replace = c.Replace || o.Replace
	if o.Retry != (stream.Backoff{}) {
		c.Retry = o.Retry
	}
	if o.Warnings != nil {
		c.Warnings = o.Warnings
	}
	if o.MaxObject != 0 {
		c.MaxObject = o.MaxObject
	}
	if o.MaxErrorBody != 0 {
		c.MaxErrorBody = o.MaxErrorBody
	}
	return c
}

// check refuses what no server accepts.
func (c *CallOptions) check() error {
	switch c.FieldValidation {
	case "", FieldsIgnored, FieldsWarned, FieldsStrict:
	default:
		return fmt.Errorf("field validation %q is not one of Ignore, Warn, Strict", c.FieldValidation)
	}
	switch {
	case c.MaxObject < -1:
		return fmt.Errorf("MaxObject is %d: want bytes, 0 for 32 MiB, or -1 for no limit", c.MaxObject)
	case c.MaxErrorBody < -1, c.MaxErrorBody > maxErrorRead:
		return fmt.Errorf("MaxErrorBody is %d: want up to 1 MiB, 0 for 8 KiB, or -1 for none", c.MaxErrorBody)
	}
	if err := c.Retry.Check(); err != nil {
		return fmt.Errorf("retry: %w", err)
	}
	return checkManager(c.FieldManager)
}

// checkManager refuses a name of a field manager that no server accepts.
func checkManager(name string) error {
	const most = 128
	if utf8.RuneCountInString(name) > most {
		return fmt.Errorf("the field manager's name is longer than %d characters", most)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("field manager %q contains an unprintable character", name)
		}
	}
	return nil
}

// maxObject returns the limit, 0 for none.
func (c *CallOptions) maxObject() int64 {
	switch c.MaxObject {
	case 0:
		return defaultMaxObject
	case -1:
		return 0
	}
	return c.MaxObject
}

// maxErrorBody returns how much of a refusal's body is kept.
func (c *CallOptions) maxErrorBody() int {
	switch c.MaxErrorBody {
	case 0:
		return maxErrorBody
	case -1:
		return 0
	}
	return c.MaxErrorBody
}

// query returns the query parameters of a write; other requests have none.
func (c *CallOptions) query(method string) url.Values {
	q := url.Values{}
	switch method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		addNonEmpty(q, "fieldManager", c.FieldManager)
		addNonEmpty(q, "fieldValidation", string(c.FieldValidation))
		if c.DryRun {
			q.Set("dryRun", dryRunAll)
		}
	}
	return q
}

// dryRunAll is the only value of the parameter dryRun.
const dryRunAll = "All"

// addNonEmpty sets a query parameter unless it is empty.
func addNonEmpty(q url.Values, key, value string) {
	if value != "" {
		q.Set(key, value)
	}
}
