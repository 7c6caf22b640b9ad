package redact

import (
	"regexp"
	"strings"
	"unicode"
)

// forms are the forms of keys and tokens of clouds, forges and the like.
var forms = regexp.MustCompile(strings.Join([]string{
	`eyJ[\w-]{4,}[\w.=+/-]*`, // JSON web tokens
	`sha256~[\w-]{4,}`,       // OpenShift
	`\b(?:A3T|AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{8,}`, // AWS
	`k8s-aws-v\d\.[\w=-]+`,                                      // EKS
	`\b(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|AQoDYXdz)[\w+/=-]+`,         // AWS sessions
	`gh[a-z]_\w{4,}`, `github_pat_\w{4,}`, `\bv1\.[0-9a-f]{40}`, // GitHub
	`gl[a-z]{2,6}-[\w.-]{8,}`, `GR1348941[\w-]{8,}`, // GitLab
	`ya29\.[\w./-]+`, `AIza[\w-]{8,}`, `\b1//[\w-]{8,}`, `GOCSPX-[\w-]{4,}`, `\b4/0[\w-]{8,}`, // Google
	`\b\w{3}\dQ~[\w.~-]{8,}`, `\b[01]\.A[\w-]{8,}[\w.-]*`, `\bM\.[CR]\d+_[\w.!*$-]+`, // Azure
	`xox[a-z](?:\.xox[a-z])?-[\w-]{4,}`, `xapp-[\w-]{4,}`, // Slack
	`do[a-z]_v1_\w{4,}`,                               // DigitalOcean
	`hv[a-z]\.[\w-]{4,}`, `\b[sbr]\.[A-Za-z0-9]{20,}`, // Vault
	`\b\w{8,}\.atlasv1\.[\w-]+`, // Terraform
	`npm_\w{4,}`, `pypi-[\w-]{8,}`, `rubygems_\w{8,}`, `\bcio[a-zA-Z0-9]{24,}`, `oy2[a-z0-9]{40,}`,
	`dp\.(?:[a-z]{2,6})\.[\w.-]{4,}`,                                                                              // Doppler
	`(?:sk|rk|pk|whsec)_(?:live|test)_\w{4,}`, `\bwhsec_\w{8,}`, `SG\.[\w-]{4,}\.[\w-]{4,}`, `shp[a-z]{2}_\w{8,}`, // shops and mail
	`dckr_[a-z]{3}_[\w-]{4,}`, `\bsk-[\w-]{16,}`, `\bhf_\w{16,}`, `gl[cs][a-z]?_[\w=/+-]{8,}`, `NRAK-\w{8,}`, `\blin_api_\w{8,}`,
	`figd_[\w-]{8,}`, `AT(?:ATT3x|BB|CTT3x)[\w=-]{8,}`, `sntry[su]_[\w=/+-]{8,}`, `PMAK-[\w-]{8,}`, `AGE-SECRET-KEY-\w{8,}`, `tskey-[\w-]{8,}`,
	`\bops_[\w-]{16,}`, `dapi[0-9a-f]{16,}`, `\bLTAI\w{10,}`, `\bAKID\w{10,}`, `\bSCW[A-Z0-9]{16,}`, `\bEXO[0-9a-f]{20,}`, `HRKU-[\w-]{8,}`, `CCIP[A-Z]{2,3}_[\w-]{8,}`,
	`\bbk[a-z]a_\w{8,}`, `\bfm[0-9]_[\w+/=-]{8,}|FlyV1 [\w+/=,-]{8,}`, `\bsbp_\w{8,}`, `pscale_[a-z]+_[\w.=-]{8,}`, `\bnfp_\w{8,}`, `\bpul-[0-9a-f]{8,}`, `CFPAT-[\w-]{8,}`,
	`(?:token|kubeconfig)-[\w.-]+:[a-z0-9]{20,}`, // Rancher
	`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`,              // kubeadm
	`hooks\.slack\.com/services/[\w/]+`, `discord(?:app)?\.com/api/webhooks/[\w/-]+`, `webhook\.office\.com/[\w/@-]+`,
	`\bnvapi-[\w-]{8,}`, `\bxai-\w{16,}`, `\bpplx-\w{16,}`, `\bgsk_\w{16,}`, `\bsq0[a-z]{3}-[\w-]{8,}`, `\bEAAA[\w-]{16,}`, `\bamzn\.mws\.[\w-]+`, `\bAC[0-9a-f]{32}\b|\bSK[0-9a-f]{32}\b`,
	`[\w+=-]{48,}`, // long runs of base64 and hexadecimal digits
}, "|"))

// private matches keys in PEM, whole or cut off, on several lines or with escaped line ends.
var private = regexp.MustCompile(`-----BEGIN[^\n-]*-----[\s\S]*?(?:-----END[^\n-]*-----|\z)`)

// run matches what may be a random value.
var run = regexp.MustCompile(`[A-Za-z0-9+/_=~-]{20,}`)

// tokens hides keys and tokens by their form.
func (m *mask) tokens() {
	for _, f := range private.FindAllStringIndex(m.text, -1) {
		m.hide(f[0], f[1])
	}
	for _, f := range forms.FindAllStringIndex(m.text, -1) {
		m.hide(f[0], f[1])
	}
	for _, f := range run.FindAllStringIndex(m.text, -1) {
		if random(m.text[f[0]:f[1]]) {
			m.hide(f[0], f[1])
		}
	}
}

// random reports whether a text mixes letters of both cases and digits as no word and no path does.
func random(s string) bool {
	const (
		few  = 2 // letters of each case
		rare = 5 // one change of the class of characters in so many
	)
	if strings.HasPrefix(s, "/") {
		return false // a path
	}
	var upper, lower, digits, changes int
	var before rune
	class := func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return 'A'
		case unicode.IsLower(r):
			return 'a'
		case unicode.IsDigit(r):
			return '0'
		}
		return 0
	}
	for _, r := range s {
		c := class(r)
		switch c {
		case 'A':
			upper++
		case 'a':
			lower++
		case '0':
			digits++
		}
		if c != 0 && before != 0 && c != before {
			changes++
		}
		before = c
	}
	return upper >= few && lower >= few && digits > 0 && changes*rare >= len(s)
}

// brokenAt matches the end of a line inside of a run of characters.
var brokenAt = regexp.MustCompile(`[^\s]\n[^\s]`)

// joined removes the ends of lines that break what is not a word of a sentence: programs wrap long
// lines wherever they end.
func joined(text string) string {
	const (
		long = 16 // characters of a run that goes on
		some = 8
	)
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		b.WriteString(l)
		if i == len(lines)-1 {
			break
		}
		left, right := l[strings.LastIndexAny(l, " \t")+1:], lines[i+1]
		if j := strings.IndexAny(right, " \t"); j >= 0 {
			right = right[:j]
		}
		odd := len(right) >= some && !letters(strings.Trim(right, ".,;:!?")) || len(left) >= long && !wordlike(left)
		if wordlike(right) || !odd || !brokenAt.MatchString(l+"\n"+lines[i+1]) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// wordlike reports whether a run of characters looks like a word, and not like a part of a token.
func wordlike(s string) bool {
	s = strings.Trim(s, ".,;:!?()[]{}<>\"'`=")
	if s == "" || strings.ContainsAny(s, ":/\"(){}<>") || strings.HasPrefix(s, "-----") {
		return true
	}
	if strings.Trim(s, "0123456789") == "" {
		return true
	}
	return letters(strings.ReplaceAll(strings.ReplaceAll(s, "-", ""), "'", "")) && (strings.ToLower(s[1:]) == s[1:] || strings.ToUpper(s) == s)
}
