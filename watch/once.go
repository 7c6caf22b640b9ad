package watch

import (
	"errors"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/stream"
)

// checkOnce refuses a reading that would never end well: the server ends each cycle before it has
// lasted long enough.
func (o *Options) checkOnce() error {
	if !o.Once || o.MinDuration <= o.Timeout {
		return nil
	}
	return fmt.Errorf("option MinDuration is %v, longer than the Timeout of %v; with Once, a reading without an event would never end",
		o.MinDuration, o.Timeout)
}

// timeout returns how long the next cycle is to last.
func (w *watcher) timeout() time.Duration {
	if w.options.Once {
		return w.options.Timeout
	}
	return drawn(w.options.Timeout)
}

// over reports whether a cycle was the last one of a watch with Options.Once: it ended well, or the
// version has expired. The error of the cycle then stops the retries. The reader learns of an
// expired version whatever the filters say, since the channel would otherwise close as after a good
// end.
func (w *watcher) over(a *stream.Attempt[item], end *ending) bool {
	expired, refused := errors.AsType[*rest.StatusError](end.err)
	expires := refused && !end.listing && errors.Is(expired, rest.ErrExpired)
	if !w.options.Once || end.err != nil && !expires {
		return false
	}
	if expires {
		a.Send(item{typ: Error, err: expired})
	}
	end.err = stream.ErrStop
	return true
}
