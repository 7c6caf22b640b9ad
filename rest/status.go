package rest

// Status is what a server answers instead of an object: a refusal, or the
// success of a request that has nothing to show.
type Status struct {
	Kind       string   `json:"kind,omitempty"`
	APIVersion string   `json:"apiVersion,omitempty"`
	Metadata   ListMeta `json:"metadata"`
	// Status is "Success" or "Failure".
	Status string `json:"status,omitempty"`
	// Message is for people to read.
	Message string `json:"message,omitempty"`
	// Reason is one of the Reason constants, or a word of the server's own.
	Reason  string         `json:"reason,omitempty"`
	Details *StatusDetails `json:"details,omitempty"`
	// Code is the HTTP status code.
	Code int `json:"code,omitempty"`
}

// StatusDetails says more about a [Status].
type StatusDetails struct {
	Name  string `json:"name,omitempty"`
	Group string `json:"group,omitempty"`
	// Kind is, for most errors, the plural of the resource and not its kind.
	Kind   string        `json:"kind,omitempty"`
	UID    string        `json:"uid,omitempty"`
	Causes []StatusCause `json:"causes,omitempty"`
	// RetryAfterSeconds is how long to wait before the next try, in seconds;
	// 0 when the server did not say.
	RetryAfterSeconds float64 `json:"retryAfterSeconds,omitempty"`
}

// StatusCause is one of the causes of a [Status]: one field that is invalid,
// one manager that owns a field.
type StatusCause struct {
	// Type is a word for machines: "FieldValueRequired".
	Type    string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Field is the path of the field: "spec.containers[0].name".
	Field string `json:"field,omitempty"`
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	// ResourceVersion is the version of the list: a watch goes on from it.
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Continue asks for the next page; "" when there is none.
	Continue string `json:"continue,omitempty"`
	// RemainingItemCount is an estimate of the items after this page. It is
	// nil when the server does not know, as with selectors.
	RemainingItemCount *int64 `json:"remainingItemCount,omitempty"`
}

// The values of [Status].Status.
const (
	StatusSuccess = "Success"
	StatusFailure = "Failure"
)

// The reasons that servers give in [Status].Reason.
const (
	ReasonBadRequest            = "BadRequest"
	ReasonUnauthorized          = "Unauthorized"
	ReasonForbidden             = "Forbidden"
	ReasonNotFound              = "NotFound"
	ReasonMethodNotAllowed      = "MethodNotAllowed"
	ReasonNotAcceptable         = "NotAcceptable"
	ReasonAlreadyExists         = "AlreadyExists"
	ReasonConflict              = "Conflict"
	ReasonGone                  = "Gone"
	ReasonExpired               = "Expired"
	ReasonRequestEntityTooLarge = "RequestEntityTooLarge"
	ReasonUnsupportedMediaType  = "UnsupportedMediaType"
	ReasonInvalid               = "Invalid"
	ReasonTooManyRequests       = "TooManyRequests"
	ReasonInternalError         = "InternalError"
	ReasonServerTimeout         = "ServerTimeout"
	ReasonStorageReadError      = "StorageReadError"
	ReasonServiceUnavailable    = "ServiceUnavailable"
	ReasonTimeout               = "Timeout"
)

// The types that [StatusCause] may have, beyond those of invalid fields.
const (
	// CauseUnexpectedServerResponse is added to a refusal whose body was not a Status.
	CauseUnexpectedServerResponse = "UnexpectedServerResponse"
	// CauseResourceVersionTooLarge means that the server has not reached the resource version yet.
	CauseResourceVersionTooLarge = "ResourceVersionTooLarge"
	// CauseDisruptionBudget means that a PodDisruptionBudget does not allow an eviction now.
	CauseDisruptionBudget = "DisruptionBudget"
	// CauseFieldManagerConflict means that a field of an apply belongs to another manager.
	CauseFieldManagerConflict = "FieldManagerConflict"
)
