package rest

import (
	"fmt"
	"net/http"
	"net/url"
	"unicode"
	"unicode/utf8"

	"github.com/tideway-go/tideway/stream"
)

// FieldValidation says what a server does with members that it does not know,
// and with those that come twice.
type FieldValidation string

// The ways to validate fields.
const (
	// FieldsIgnored drops them silently.
	FieldsIgnored FieldValidation = "Ignore"
	// FieldsWarned drops them with a [Warning]: the default of servers.
	FieldsWarned FieldValidation = "Warn"
	// FieldsStrict refuses the request: the error matches [ErrBadRequest].
	FieldsStrict FieldValidation = "Strict"
)

// DefaultMaxObject is the largest object that is taken, in bytes, when
// [CallOptions] say nothing: 32 MiB.
const DefaultMaxObject = 32 << 20

const (
	maxErrorRead = 1 << 20 // of a refusal's body, to decode it
	maxErrorBody = 8 << 10 // of it, to be kept by default
)

// CallOptions change how a handle sends its requests and takes their answers.
// [Options].Defaults sets them for a client, [Resource.With] for a handle, so
// that no verb needs a further parameter. The zero value is the default.
type CallOptions struct {
	// FieldManager is the name under which the server notes who set which
	// field: up to 128 printable characters. Default: what the server makes of
	// the user agent; an apply needs one.
	FieldManager string

	// FieldValidation is for create, update and patch. Default: the server's,
	// which is to warn.
	FieldValidation FieldValidation

	// DryRun has the server do everything but store: what it answers is what
	// would have been.
	DryRun bool

	// Force lets an apply take over the fields that other managers own. Default: they are a conflict.
	Force bool

	// Replace lets Update and UpdateStatus send a struct that cannot hold all
	// that an object may have: what it does not know is then lost. Default:
	// such a type is refused.
	Replace bool

	// Retry has requests sent again. Default (the zero value): never.
	// Otherwise the fields mean what [stream.Backoff] says: Backoff{MaxRetries:
	// 3} is three times, after 1, 2 and 4 seconds; without MaxRetries there is
	// no limit but the context. [stream.NoRetries] switches off what the
	// client does by default.
	//
	// Sent again is a get or a list that did not arrive, or that the server
	// could not answer (429, 500, 502, 503, 504); a write only when the server
	// rejected it with 429 or 503 and said when to come again. The server's
	// word is the shortest delay; where it asks for more than
	// [stream.MaxRetryAfter], its refusal is the answer. An eviction that a
	// disruption budget forbids is not tried again.
	Retry stream.Backoff

	// Warnings receives what the server warns of. A send never waits: have a
	// buffer, or warnings are lost. The channel is never closed, and may serve
	// many handles. A watch tells those of each of its requests, so that the
	// same one comes again when a cycle begins. Default: warnings are dropped.
	Warnings chan<- Warning

	// MaxObject is the largest answer that is taken, and of a list or a watch
	// the largest item, in bytes. Default: [DefaultMaxObject]; -1 is no limit.
	MaxObject int64

	// MaxErrorBody is how much of a refusal's body a [StatusError] keeps, in
	// bytes, up to 1 MiB. Default: 8 KiB; -1 keeps none.
	MaxErrorBody int
}

// with returns a copy with what o says.
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
		return DefaultMaxObject
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

// query returns the parameters of a write, which may be none.
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

// dryRunAll is the one value of the parameter.
const dryRunAll = "All"

// addNonEmpty sets a query parameter unless it is empty.
func addNonEmpty(q url.Values, key, value string) {
	if value != "" {
		q.Set(key, value)
	}
}
