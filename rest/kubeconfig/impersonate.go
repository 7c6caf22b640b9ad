package kubeconfig

import (
	"errors"
	"maps"
	"slices"
)

// Impersonate says as whom requests are made, by somebody who may do so.
type Impersonate struct {
	// User is the name of the user; without one there is no impersonation.
	User string
	// UID is the user's unique ID.
	UID string
	// Groups are the groups that the user is taken to be in.
	Groups []string
	// Extra is what else authenticators tell about users.
	Extra map[string][]string
}

// IsZero tells whether nobody is impersonated.
func (i Impersonate) IsZero() bool {
	return i.User == "" && i.UID == "" && len(i.Groups) == 0 && len(i.Extra) == 0
}

// Validate tells what is wrong.
func (i Impersonate) Validate() error {
	if i.User == "" && !i.IsZero() {
		return errors.New("as-uid, as-groups or as-user-extra is there without as")
	}
	all := append([]string{i.User, i.UID}, i.Groups...)
	for _, key := range slices.Sorted(maps.Keys(i.Extra)) {
		if key == "" {
			return errors.New("as-user-extra has an empty key")
		}
		all = append(all, i.Extra[key]...)
	}
	for _, s := range all {
		for j := range len(s) {
			if s[j] < ' ' && s[j] != '\t' || s[j] == 0x7f {
				return errors.New("the user to impersonate has characters that no header can carry")
			}
		}
	}
	return nil
}
