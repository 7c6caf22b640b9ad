package kubeconfig

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// Impersonate is the user to act as, for a caller who is allowed to impersonate.
type Impersonate struct {
	// User is the name of the user; without it nobody is impersonated.
	User string
	// UID is the user's unique ID.
	UID string
	// Groups are the groups that the user is treated as a member of.
	Groups []string
	// Extra holds further attributes of the user, of the kind that authenticators provide. Keys
	// keep their case.
	Extra map[string][]string
}

// IsZero reports whether nobody is impersonated.
func (i Impersonate) IsZero() bool {
	return i.User == "" && i.UID == "" && len(i.Groups) == 0 && len(i.Extra) == 0
}

// Validate returns an error that says what is wrong.
func (i Impersonate) Validate() error {
	if i.User == "" && !i.IsZero() {
		return errors.New("as-uid, as-groups and as-user-extra require as")
	}
	all := append([]string{i.User, i.UID}, i.Groups...)
	for _, key := range slices.Sorted(maps.Keys(i.Extra)) {
		if key == "" {
			return errors.New("as-user-extra has an empty key")
		}
		all = append(all, i.Extra[key]...)
	}
	for _, s := range all {
		if strings.Trim(s, " \t") != s {
			return errors.New("the user to impersonate has white space around a value, which no header can carry")
		}
		for j := range len(s) {
			if s[j] < ' ' && s[j] != '\t' || s[j] == 0x7f {
				return errors.New("the user to impersonate has characters that no header can carry")
			}
		}
	}
	return nil
}
