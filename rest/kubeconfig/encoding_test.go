package kubeconfig

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// Editors on Windows write UTF-16, with or without a byte order mark.
func TestEncodings(t *testing.T) {
	text := strings.Replace(strings.ReplaceAll(config("a", "a"), "name: a\n  context", "name: ä\n  context"), `current-context: "a"`, "current-context: ä", 1)
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		for _, mark := range []string{"", "\ufeff"} {
			var raw []byte
			for _, u := range utf16.Encode([]rune(mark + text)) {
				raw = order.AppendUint16(raw, u)
			}
			got, err := Parse(raw, Options{})
			if err != nil || got.Context != "ä" {
				t.Errorf("%s, mark %q: %v, %v", name, mark, got, err)
			}
		}
	}
	if got := string(toUTF8([]byte("\xef\xbb\xbfa"))); got != "a" {
		t.Errorf("got %q", got)
	}
}

// The path of a plugin is relative to the file that contains it; a bare name is looked up in PATH.
func TestPluginPathIsRelativeToItsFile(t *testing.T) {
	h := newHouse(t)
	const text = "current-context: x\ncontexts:\n- name: x\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: 'https://c'}\nusers:\n- name: u\n  user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: COMMAND}}\n"
	got := make([]string, 0, 4)
	for _, command := range []string{"./bin/plugin", "../plugin", "plugin", "/abs/plugin"} {
		path := h.write("k/config", strings.Replace(text, "COMMAND", command, 1))
		h.env["KUBECONFIG"] = strings.Join([]string{h.dir + "/none", path}, string(os.PathListSeparator))
		c, err := load(Options{}, h.system())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.Exec.Command)
	}
	want := []string{filepath.Join(h.dir, "k/bin/plugin"), filepath.Join(h.dir, "plugin"), "plugin", "/abs/plugin"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
