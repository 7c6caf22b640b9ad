package rest

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

// Status is what a server answers instead of an object.
type Status struct {
	Kind       string         `json:"kind,omitempty"`
	APIVersion string         `json:"apiVersion,omitempty"`
	Metadata   ListMeta       `json:"metadata"`
	Status     string         `json:"status,omitempty"`  // "Success" or "Failure"
	Message    string         `json:"message,omitempty"` // for people to read
	Reason     string         `json:"reason,omitempty"`  // a Reason constant, or the server's own word
	Details    *StatusDetails `json:"details,omitempty"`
	Code       int            `json:"code,omitempty"` // the HTTP status
}

// StatusDetails is the part of a [Status] for programs.
type StatusDetails struct {
	Name              string        `json:"name,omitempty"`
	Group             string        `json:"group,omitempty"`
	Kind              string        `json:"kind,omitempty"` // in most errors the plural
	UID               string        `json:"uid,omitempty"`
	Causes            []StatusCause `json:"causes,omitempty"`
	RetryAfterSeconds float64       `json:"retryAfterSeconds,omitempty"` // 0 if the server did not say
}

// StatusCause is one cause of a [Status], such as an invalid field.
type StatusCause struct {
	Type    string `json:"reason,omitempty"` // for programs: "FieldValueRequired"
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"` // the path of the field: "spec.containers[0].name"
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	ResourceVersion string `json:"resourceVersion,omitempty"` // a watch continues from it
	Continue        string `json:"continue,omitempty"`        // the next page, "" if there is none
	// RemainingItemCount estimates how many items follow this page; nil if the server does not
	// know, as with selectors.
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
}

// Values of [Status].Status, of [Status].Reason, and, besides those of invalid fields, of
// [StatusCause].Type.
const (
	StatusSuccess                 = "Success"
	StatusFailure                 = "Failure"
	ReasonBadRequest              = "BadRequest"
	ReasonUnauthorized            = "Unauthorized"
	ReasonForbidden               = "Forbidden"
	ReasonNotFound                = "NotFound"
	ReasonMethodNotAllowed        = "MethodNotAllowed"
	ReasonNotAcceptable           = "NotAcceptable"
	ReasonAlreadyExists           = "AlreadyExists"
	ReasonConflict                = "Conflict"
	ReasonGone                    = "Gone"
	ReasonExpired                 = "Expired"
	ReasonRequestEntityTooLarge   = "RequestEntityTooLarge"
	ReasonUnsupportedMediaType    = "UnsupportedMediaType"
	ReasonInvalid                 = "Invalid"
	ReasonTooManyRequests         = "TooManyRequests"
	ReasonInternalError           = "InternalError"
	ReasonServerTimeout           = "ServerTimeout"
	ReasonStorageReadError        = "StorageReadError"
	ReasonServiceUnavailable      = "ServiceUnavailable"
	ReasonTimeout                 = "Timeout"
	CauseUnexpectedServerResponse = "UnexpectedServerResponse" // the refusal's body was not a Status
	CauseResourceVersionTooLarge  = "ResourceVersionTooLarge"  // the server is behind the version
	CauseDisruptionBudget         = "DisruptionBudget"         // see [ErrDisruptionBudget]
	CauseFieldManagerConflict     = "FieldManagerConflict"     // see [StatusError.Conflicts]
)

// readStatus decodes a body that is a Status.
func readStatus(body []byte) (Status, bool) {
	if is, _ := wire.ReadIdentity(body); is.Kind != "Status" { // its metadata may be anything
		return Status{}, false
	}
	s, err := decodeStatus(body)
	if err != nil {
		return Status{}, false
	}
	return *s, true
}

// decodeStatus decodes a Status. A member of the wrong type does not hide what the others say, as
// long as one of them is its code or its reason.
func decodeStatus(raw []byte) (*Status, error) {
	s, err := Decode[Status](raw)
	if err == nil {
		return s, nil
	}
	members, bad := Decode[map[string]jsontext.Value](raw)
	if bad != nil {
		return nil, err
	}
	s = &Status{}
	for name, to := range map[string]any{
		"kind": &s.Kind, "apiVersion": &s.APIVersion, "status": &s.Status, "message": &s.Message,
		"reason": &s.Reason, "code": &s.Code,
	} {
		_ = json.Unmarshal((*members)[name], to)
	}
	if s.Code == 0 && s.Reason == "" {
		return nil, err
	}
	return s, nil
}
