package transport

import "runtime/debug"

// userAgent names the library and, if the build knows it, its version.
func userAgent() string {
	const module = "github.com/tideway-go/tideway"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "tideway"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" && m.Version != "(devel)" {
			return "tideway/" + m.Version
		}
	}
	return "tideway/devel"
}
