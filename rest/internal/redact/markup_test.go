package redact

import (
	"strings"
	"testing"
)

// Secrets are hidden in the answers of clouds, in forms, in the commands that shells show, and in
// sentences.
func TestMarkup(t *testing.T) {
	for _, text := range []string{
		"<SecretAccessKey>hunter2</SecretAccessKey>", "<SessionToken>hunter2</SessionToken>", "<ns1:Password Type='x'>hunter2</ns1:Password>",
		"<wsse:BinarySecurityToken\n a='b'>hunter2</wsse:BinarySecurityToken>", "<Password>hunter2",
		`<input type="hidden" name="SAMLResponse" value="hunter2">`, `<input value='hunter2' id=csrf_token>`, `<meta name="csrf-token" content="hunter2">`, `<input name=code value=hunter2>`,
		`Token("hunter2")`, `Secret('hunter2')`,
		"+ curl -u jane:hunter2 https://h", "+ curl -u 'jane:my hunter2' https://h", "curl --user=jane:hunter2", "curl --proxy-user jane:hunter2 -v", "+ sshpass -p hunter2 ssh h", "+ mysql -uroot -phunter2",
		"password for jane: hunter2", "Enter passphrase for /home/jane/.ssh/id: hunter2", "Passwort: hunter2", "mot de passe: hunter2",
		"the token hunter2 has expired", "api key 'hunter2' is invalid", "user jane, password hunter2, rejected", "OTP hunter2", "token token hunter2",
		"https://hooks.slack.com/services/T0/B0/hunter2", "https://discord.com/api/webhooks/1/hunter2",
	} {
		if got := Text(text, Values{}, true); strings.Contains(got, "hunter2") || !strings.Contains(got, Mark) {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, text := range []string{
		"<Code>ExpiredToken</Code> <Message>The token is too old</Message>", `<input name="user" value="jane">`, "Sleep(\"long\")", "curl -u jane https://h",
		"password for jane: required", "the token has expired", "token file /run/token1 is missing", "token expired 2 hours ago", "the session of jane ended", "no key for https://h/keys1",
	} {
		if got := Text(text, Values{}, true); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}
