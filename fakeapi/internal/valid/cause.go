// Package valid checks names and selectors, and says what is wrong with the fields of an object: in
// the words of kube-apiserver.
package valid

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tideway-go/tideway/rest"
)

// Forbidden is the cause of a field that must not be there, or must not be as it is.
func Forbidden(field, message string) rest.StatusCause {
	return rest.StatusCause{Type: "FieldValueForbidden", Message: "Forbidden: " + message, Field: field}
}

// Invalid is the cause of a value that the field cannot have. The value is shown as it is given:
// strings have to be quoted.
func Invalid(field, value, message string) rest.StatusCause {
	return rest.StatusCause{Type: "FieldValueInvalid", Message: "Invalid value: " + value + ": " + message, Field: field}
}

// Unsupported is the cause of a value that is none of those that the field can have. The value is
// shown as it is given.
func Unsupported(field, value string, supported ...string) rest.StatusCause {
	quoted := make([]string, len(supported))
	for i, s := range supported {
		quoted[i] = strconv.Quote(s)
	}
	return rest.StatusCause{
		Type: "FieldValueNotSupported", Field: field,
		Message: "Unsupported value: " + value + ": supported values: " + strings.Join(quoted, ", "),
	}
}

// Required is the cause of a field that is missing; why may be empty.
func Required(field, why string) rest.StatusCause {
	c := rest.StatusCause{Type: "FieldValueRequired", Field: field, Message: "Required value"}
	if why != "" {
		c.Message += ": " + why
	}
	return c
}

// TooLong is the cause of a field that has more than so many bytes.
func TooLong(field string, most int) rest.StatusCause {
	return rest.StatusCause{
		Type: "FieldValueTooLong", Field: field, Message: "Too long: may not be more than " + strconv.Itoa(most) + " bytes",
	}
}

// Join joins problems as aggregated errors are shown: each of them once.
func Join(problems []string) string {
	seen := make([]string, 0, len(problems))
	for _, p := range problems {
		if !slices.Contains(seen, p) {
			seen = append(seen, p)
		}
	}
	if len(seen) == 1 {
		return seen[0]
	}
	return "[" + strings.Join(seen, ", ") + "]"
}
