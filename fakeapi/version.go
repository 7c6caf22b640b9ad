package fakeapi

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/tideway-go/tideway/rest"
)

// now is the current time as objects show it.
func now() string { return time.Now().UTC().Format(time.RFC3339) }

// newUID returns a random UUID, version 4.
func (s *store) newUID() string {
	a, b := s.random.Uint64(), s.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		uint32(a>>32), uint16(a>>16), a&0xfff, 0x8000|b>>50&0x3fff, b&0xffffffffffff)
}

// suffixLetters are the letters that kube-apiserver uses in generated names.
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

// generateName returns a name with the prefix.
func (s *store) generateName(prefix string) string {
	const maxPrefix = 63 - 5
	if len(prefix) > maxPrefix {
		prefix = prefix[:maxPrefix]
	}
	suffix := make([]byte, 5)
	for i := range suffix {
		suffix[i] = suffixLetters[s.random.IntN(len(suffixLetters))]
	}
	return prefix + string(suffix)
}

func formatVersion(v uint64) string { return strconv.FormatUint(v, 10) }

// parseVersion reads a resource version; "" is 0.
func parseVersion(v string) (uint64, error) {
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resourceVersion: Invalid value: %q: %w", v, err)
	}
	return n, nil
}

// waitVersion waits until the store has reached a version: three seconds at most, as kube-apiserver
// does.
func (s *store) waitVersion(ctx context.Context, asked uint64) *rest.Status {
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	for {
		var current uint64
		var raised chan struct{}
		s.read(func() { current, raised = s.version, s.raised })
		if current >= asked {
			return nil
		}
		select {
		case <-raised:
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		return tooLarge(asked, current)
	}
}
