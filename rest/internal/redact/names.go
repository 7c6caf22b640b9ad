package redact

import (
	"strings"
	"unicode"
)

// nameClass says what a name says about its value.
type nameClass int

const (
	plainName  nameClass = iota
	codeName             // a code: of an error, or one that lets one in
	secretName           // a secret
	phraseName           // a secret that may have several words
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// telling are the words of names that hold secrets.
var telling = map[nameClass]map[string]bool{
	codeName: words("code"),
	phraseName: words(`password passwd passphrase pwd pass passcode pw pswd passwort kennwort passe senha authorization cookie
		mnemonic`),
	secretName: words(`token secret apikey accesskey privatekey secretkey key auth bearer credential
		cred assertion session sessionid sid sig signature jwt otp totp pin psk nonce csrf xsrf salt sas
		ticket hmac saml samlresponse verifier challenge connectionstring`),
}

// endings are the ends of names in one word.
var endings = []string{
	"token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "accesskeyid", "privatekey", "secretkey",
	"sharedkey", "accountkey", "authkey", "credential", "cookie", "signature", "assertion", "pwd", "sessionid",
}

// about are the last words of names that say something about a secret, and not the secret.
var about = words(`file path url uri endpoint dir directory name type expiry expires expiration exp ttl
	lifetime audience issuer method size length count status error cache format version server host
	provider source store review request response expired`)

// tellingName classes a name such as clientSecret, AWS_SESSION_TOKEN or x-api-key.
func tellingName(name string) nameClass {
	parts := split(name)
	if telling[secretName][strings.Join(parts, "")] {
		return secretName
	}
	if len(parts) == 0 || len(parts) > 1 && about[parts[len(parts)-1]] {
		return plainName
	}
	found := plainName
	for _, p := range parts {
		for class, set := range telling {
			if (set[p] || set[strings.TrimSuffix(p, "s")]) && class > found {
				found = class
			}
		}
	}
	whole := strings.TrimSuffix(strings.Join(parts, ""), "s")
	for _, e := range endings {
		if strings.HasSuffix(whole, e) {
			if strings.HasPrefix(e, "pass") || e == "pwd" || e == "cookie" {
				return phraseName
			}
			return max(found, secretName)
		}
	}
	return found
}

// Telling reports whether a name is one of a secret.
func Telling(name string) bool { return tellingName(name) > codeName }

// split returns the words of a name, in lower case and without digits at their ends.
func split(name string) []string {
	var parts []string
	word, before := "", ' '
	flush := func() {
		if word = strings.TrimRight(strings.ToLower(word), "0123456789"); word != "" {
			parts = append(parts, word)
		}
		word = ""
	}
	for i, r := range name {
		next := rune(0)
		if i+1 < len(name) {
			next = rune(name[i+1])
		}
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && unicode.IsLower(next)):
			flush()
			word = string(r)
		default:
			word += string(r)
		}
		before = r
	}
	flush()
	return parts
}

// prose are words that follow "token: " and the like in messages, and are no secrets.
var prose = words(`a an the this that it its is was are were be been has have had does do did not no
	none nil null empty missing unset required optional needed must should may can could cannot can't
	couldn't unable failed fail failure fails error errors err invalid bad wrong malformed unknown
	unsupported unexpected expected expired expires expiry revoked rejected refused denied forbidden
	unauthorized unauthenticated unavailable timeout timed out closed open opening read reading write
	writing get getting got post put fetch fetching fetched request requesting requested response server
	client connection connect connecting dial dialing lookup resolve context deadline exceeded canceled
	cancelled i/o eof tls x509 oauth oauth2 oidc rpc grpc http https aws azure gcp google exec executable
	permission access operation operations user run please try use used using set provide provided
	specify pass from for with without in on of at to by as and or if when while after before until
	token tokens string strings value values file path authentication authorization auth credentials
	credential login log logged sign signed sts sso saml status code exit signal killed because due
	could-not found lookup parse parsing decode decoding encode unmarshal json yaml too many redacted
	true false yes default new old your you we there here see more info warning usage
	bearer basic negotiate digest unset> file> path> string> token> value> not-found command usage:`)

// kinds are the ends of the names of errors, as in ExpiredTokenException.
var kinds = []string{"Error", "Exception", "Fault", "Failure", "Denied", "Expired", "Timeout", "NotFound", "Canceled", "Unavailable", "Exceeded", "Required"}

// isProse reports whether the first word of a value belongs to a sentence.
func isProse(word, rest string) bool {
	word = strings.Trim(word, ".,;:!?()\"'`<>")
	if word == "" || prose[strings.ToLower(word)] || isOAuth(word) {
		return true
	}
	for _, k := range kinds {
		if strings.HasSuffix(word, k) && letters(word) {
			return true
		}
	}
	rest = strings.TrimLeft(rest, " ")
	return isStatus(word) && rest != "" && unicode.IsUpper(rune(rest[0])) // 400 Bad Request
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) })
}

// isStatus reports whether a word is the status of an HTTP answer.
func isStatus(s string) bool {
	return len(s) == len("400") && s[0] >= '1' && s[0] <= '5' && strings.Trim(s, "0123456789") == ""
}

// isCode reports whether the value is a code that says what went wrong: 403, AccessDenied,
// invalid_grant.
func isCode(value string) bool {
	const longest = 5 // digits
	value = strings.Trim(value, ".,;:!?()[]{}\"'`")
	digits := strings.TrimPrefix(value, "-")
	switch {
	case len(digits) <= longest && strings.Trim(digits, "0123456789") == "":
		return true
	case isOAuth(value):
		return true
	}
	return letters(value) && value[0] >= 'A' && value[0] <= 'Z'
}

// isOAuth reports whether a value is an error of OAuth.
func isOAuth(value string) bool {
	return strings.HasPrefix(value, "invalid_") || strings.HasPrefix(value, "unauthorized_") || value == "access_denied"
}
