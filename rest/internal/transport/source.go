package transport

import (
	"errors"
	"fmt"
	"time"

	"github.com/tideway-go/tideway/rest/internal/files"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// sources are the files and the data that trust is made of.
type sources struct{ ca, cert, key source }

// source is data or, if there is none, the content of a file.
type source struct {
	what string
	path string // "": there is no file, or the data is used
	data []byte
	file *files.File // nil: there is none, or the data is used
}

// newSources does not read anything yet.
func newSources(t *kubeconfig.TLS) *sources {
	return &sources{
		ca:   newSource(t.CAData, t.CAFile, "certificate authority"),
		cert: newSource(t.CertData, t.CertFile, "client certificate"),
		key:  newSource([]byte(t.KeyData), t.KeyFile, "client key"),
	}
}

func newSource(data []byte, path, what string) source {
	s := source{what: what, data: data}
	if len(data) == 0 && path != "" {
		s.path = path
		s.file = files.New(path, files.MaxPEM, func(raw []byte) error {
			if len(raw) == 0 {
				return errors.New(path + " is empty")
			}
			return nil
		})
	}
	return s
}

// failed says where something is that cannot be used.
func (s *source) failed(err error) error {
	if s.path == "" {
		return fmt.Errorf("%s: %w", s.what, err)
	}
	return fmt.Errorf("%s: %s: %w", s.what, s.path, err)
}

// content returns the data, or what was read last, and a number that changes with it.
func (s *source) content() (content []byte, version int) {
	if s.file == nil {
		return s.data, 0
	}
	return s.file.Content()
}

// fromFiles reports whether anything can change.
func (s *sources) fromFiles() bool {
	return s.ca.file != nil || s.cert.file != nil || s.key.file != nil
}

// look reads the files again, all at the same time, and returns the first error.
func (s *sources) look(done <-chan struct{}, patience time.Duration) error {
	return look(done, patience, &s.ca, &s.cert, &s.key)
}

// lookPair reads the files of the client certificate again.
func (s *sources) lookPair(done <-chan struct{}, patience time.Duration) error {
	return look(done, patience, &s.cert, &s.key)
}

func look(done <-chan struct{}, patience time.Duration, all ...*source) (first error) {
	type waiting = func(<-chan struct{}, time.Duration) error
	waits := make([]waiting, len(all))
	for i, s := range all {
		if s.file != nil {
			waits[i] = s.file.Start()
		}
	}
	for i, wait := range waits {
		if wait == nil {
			continue
		}
		if err := wait(done, patience); err != nil && first == nil {
			first = fmt.Errorf("%s: %w", all[i].what, err)
		}
	}
	return first
}
