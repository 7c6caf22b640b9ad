package transport

import (
	"context"
	"net/http/httptrace"
	"strings"
)

// discreet returns a context whose trace, if there is one, is not told the credentials.
func discreet(ctx context.Context) context.Context {
	trace := httptrace.ContextClientTrace(ctx)
	if trace == nil || trace.WroteHeaderField == nil {
		return ctx
	}
	own := *trace
	own.WroteHeaderField = func(name string, values []string) {
		if strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Proxy-Authorization") {
			values = []string{"[redacted]"}
		}
		trace.WroteHeaderField(name, values)
	}
	return discreetContext{ctx, &own}
}

// discreetContext is a context with another trace. Adding one would not take the old one away.
type discreetContext struct {
	context.Context //nolint:containedctx // it is a context

	trace *httptrace.ClientTrace
}

// Value returns the trace in place of the one that the context has.
func (c discreetContext) Value(key any) any {
	v := c.Context.Value(key)
	if _, ok := v.(*httptrace.ClientTrace); ok {
		return c.trace
	}
	return v
}
