package rest_test

import (
	"strings"
	"testing"

	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
)

// No error repeats the password in an address, whichever part the parser takes it for.
func TestServerAddressHidesPasswords(t *testing.T) {
	for _, server := range []string{
		"https://admin:hunter2/x@10.0.0.1:6443", "admin:hunter2@10.0.0.1:6443", "https://admin:hunter2@10.0.0.1:6443",
		"https://admin:hunter2@", "ftp://admin:hunter2@host", "https://admin:hunter2@host:port", "//admin:hunter2@host",
	} {
		_, err := rest.New(kubeconfig.Config{Server: server}, rest.Options{})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error is %v", server, err)
		}
	}
}

func TestYAMLErrorsHideValues(t *testing.T) {
	for _, text := range []string{
		"users: |\n  s3cr3t!\n  more\n", "users: \"s3cr3t\\nmore\"\n", "users: s3cr3t\n", "users:\n- name: [\"s3cr3t\"]\n", "users:\n- 's3cr3t",
	} {
		_, err := kubeconfig.Parse([]byte(text), kubeconfig.Options{})
		if err == nil || strings.Contains(err.Error(), "s3c") {
			t.Errorf("%q: the error is %v", text, err)
		}
	}
}

// Plain http to this machine is not private if a proxy elsewhere carries it.
func TestCredentialsThroughAProxy(t *testing.T) {
	cfg := kubeconfig.Config{Server: "http://127.0.0.1:8080", Token: "t", ProxyURL: "http://192.0.2.1:3128"}
	if _, err := rest.New(cfg, rest.Options{}); err == nil || !strings.Contains(err.Error(), "plain http") {
		t.Errorf("the error is %v, want a refusal of plain http", err)
	}
	cfg.ProxyURL = "http://127.0.0.1:3128"
	if _, err := rest.New(cfg, rest.Options{}); err != nil {
		t.Errorf("a proxy on this machine: %v", err)
	}
}
