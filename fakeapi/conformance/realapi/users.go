package realapi

import (
	"fmt"
	"strings"
)

// User is one whom the server knows by a bearer token.
type User struct {
	Name   string
	UID    string
	Groups []string
	Token  string
}

// The users of every server. The groups system:authenticated come on top.
var (
	// Admin may do everything: system:masters.
	Admin = User{Name: "admin", UID: "admin-uid", Groups: []string{"system:masters"}, Token: "admin-token"}
	// Nobody may do nothing but what every authenticated user may: discovery and asking what it may
	// do.
	Nobody = User{Name: "nobody", UID: "nobody-uid", Groups: []string{"nobodies"}, Token: "nobody-token"}
	// Alice has no rights either, until a test binds roles to her.
	Alice = User{Name: "alice", UID: "alice-uid", Groups: []string{"developers"}, Token: "alice-token"}
)

// tokenFile writes the users in the format of --token-auth-file.
func tokenFile(users ...User) []byte {
	var b strings.Builder
	for _, u := range users {
		fmt.Fprintf(&b, "%s,%s,%s,%q\n", u.Token, u.Name, u.UID, strings.Join(u.Groups, ","))
	}
	return []byte(b.String())
}
