package kubeconfig

import "testing"

// The data that a cluster's entry holds for plugins becomes JSON, with times and names spelled as
// in the file.
func TestExecConfig(t *testing.T) {
	const before, after = "current-context: x\nclusters: [{name: c, cluster: {server: 'https://c', extensions: [", "]}}]\n" +
		"users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Never}}}]\n" +
		"contexts: [{name: x, context: {cluster: c, user: u}}]\n"
	one := func(text string) string { return "{name: client.authentication.k8s.io/exec, extension: " + text + "}" }
	for name, test := range map[string]struct{ entries, want string }{
		"times":      {one("{a: 2020-01-01, b: [2020-01-01T00:00:00Z]}"), `{"a":"2020-01-01","b":["2020-01-01T00:00:00Z"]}`},
		"names":      {one("{1: a, true: b, 2020-01-01: c}"), `{"1":"a","2020-01-01":"c","true":"b"}`},
		"merge":      {one("{<<: {a: 1}, b: 2}"), `{"a":1,"b":2}`},
		"other ones": {"{name: a, extension: 1}", ""},
	} {
		c, err := Parse([]byte(before+test.entries+after), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := string(c.Exec.ClusterConfig); got != test.want {
			t.Errorf("%s: it is %s, want %s", name, got, test.want)
		}
	}
	if _, err := Parse([]byte(before+one("1")+", "+one("2")+after), Options{}); err == nil {
		t.Error("two of them are accepted")
	}
}
