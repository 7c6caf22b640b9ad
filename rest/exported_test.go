package rest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/tideway-go/tideway/fakeapi"
	"github.com/tideway-go/tideway/rest"
	"github.com/tideway-go/tideway/rest/kubeconfig"
	"github.com/tideway-go/tideway/stream"
	"github.com/tideway-go/tideway/watch"
)

// exported lists all exported types of the packages that handle credentials, or hold them.
var exported = []reflect.Type{
	reflect.TypeFor[stream.Attempt[rest.Resource[Pod]]](), reflect.TypeFor[stream.Backoff](), reflect.TypeFor[stream.Result[rest.Resource[Pod]]](),
	reflect.TypeFor[stream.Retrying](),

	reflect.TypeFor[rest.CallOptions](), reflect.TypeFor[rest.Client](), reflect.TypeFor[rest.DeleteOptions](),
	reflect.TypeFor[rest.DecodeError](), reflect.TypeFor[rest.Deletion[Pod]](), reflect.TypeFor[rest.Deletions[Pod]](), reflect.TypeFor[rest.Discovery](),
	reflect.TypeFor[rest.DiscoveryError](), reflect.TypeFor[rest.Endpoint](), reflect.TypeFor[rest.FieldConflict](),
	reflect.TypeFor[rest.FieldSelector](), reflect.TypeFor[rest.FieldTerm](), reflect.TypeFor[rest.FieldValidation](),
	reflect.TypeFor[rest.Key](), reflect.TypeFor[rest.Kind](), reflect.TypeFor[rest.List[Pod]](), reflect.TypeFor[rest.ListMeta](),
	reflect.TypeFor[rest.ListOptions](), reflect.TypeFor[rest.PartialObjectMetadata](), reflect.TypeFor[rest.Object](),
	reflect.TypeFor[rest.ObjectMeta](), reflect.TypeFor[rest.Options](), reflect.TypeFor[rest.OwnerReference](), reflect.TypeFor[rest.Patch](),
	reflect.TypeFor[rest.PatchType](), reflect.TypeFor[rest.Propagation](), reflect.TypeFor[rest.Response](), reflect.TypeFor[rest.Request](),
	reflect.TypeFor[rest.Resource[Pod]](), reflect.TypeFor[rest.Scale](), reflect.TypeFor[rest.LabelSelector](), reflect.TypeFor[rest.Served](),
	reflect.TypeFor[rest.Status](), reflect.TypeFor[rest.StatusCause](), reflect.TypeFor[rest.StatusDetails](), reflect.TypeFor[rest.StatusError](),
	reflect.TypeFor[rest.Frame](), reflect.TypeFor[rest.Frames](), reflect.TypeFor[rest.Item](), reflect.TypeFor[rest.Warning](),
	reflect.TypeFor[rest.WatchOptions](),

	reflect.TypeFor[kubeconfig.Config](), reflect.TypeFor[kubeconfig.EnvVar](), reflect.TypeFor[kubeconfig.Exec](), reflect.TypeFor[kubeconfig.Impersonate](),
	reflect.TypeFor[kubeconfig.InteractiveMode](), reflect.TypeFor[kubeconfig.Options](), reflect.TypeFor[kubeconfig.Secret](), reflect.TypeFor[kubeconfig.TLS](),

	reflect.TypeFor[watch.AttemptError](), reflect.TypeFor[watch.DecodeError](), reflect.TypeFor[watch.Event[Pod]](), reflect.TypeFor[watch.Filter](),
	reflect.TypeFor[watch.Options](), reflect.TypeFor[watch.Answer](), reflect.TypeFor[watch.Condition[Pod]](), reflect.TypeFor[watch.Group[Pod]](),
	reflect.TypeFor[watch.Refusal](), reflect.TypeFor[watch.UntilError](), reflect.TypeFor[watch.Recovery](), reflect.TypeFor[watch.Type](), reflect.TypeFor[watch.Version](),

	reflect.TypeFor[fakeapi.Access](), reflect.TypeFor[fakeapi.ChaosOptions](), reflect.TypeFor[fakeapi.Fault](), reflect.TypeFor[fakeapi.Request](),
	reflect.TypeFor[fakeapi.Record](), reflect.TypeFor[fakeapi.Options](), reflect.TypeFor[fakeapi.Server](), reflect.TypeFor[fakeapi.User](),
}

// Each exported type, filled with secrets wherever it can hold any, prints without them.
func TestEachExportedTypePrintsNoSecret(t *testing.T) {
	cfg := everywhere()
	clean := cfg
	clean.TLS, clean.Password, clean.ProxyURL = kubeconfig.TLS{}, "", ""
	client, err := rest.New(clean, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pods := rest.For[Pod](client, "Pod").In("default")
	_, refused := one(t, pods.Get(t.Context(), "web")) // no server listens
	known := map[reflect.Type]reflect.Value{}
	for _, v := range []any{
		cfg, cfg.TLS, *cfg.Exec, cfg.Exec.Env[0], kubeconfig.Secret(secret),
		client, *client, pods, pods.Endpoint(), client.RoundTripper(),
		http.Header{"Authorization": {"Bearer " + secret}, "Cookie": {secret}},
	} {
		known[reflect.TypeOf(v)] = reflect.ValueOf(v)
	}
	known[reflect.TypeFor[error]()] = reflect.ValueOf(&refused).Elem()
	known[reflect.TypeFor[http.RoundTripper]()] = reflect.ValueOf(client.RoundTripper())
	covered := map[string]bool{}
	for _, typ := range exported {
		name, _, _ := strings.Cut(typ.Name(), "[")
		covered[path.Base(typ.PkgPath())+"."+name] = true
		v := reflect.New(typ)
		fill(v.Elem(), known, 0)
		for _, value := range []any{v.Interface(), v.Elem().Interface(), []any{v.Interface(), v.Elem().Interface()}} {
			for way, text := range shown(value) {
				if hasSecret(text) {
					t.Errorf("%s of %v shows the secret: %.300s", way, reflect.TypeOf(value), text)
				}
			}
		}
	}
	for pkg, dir := range map[string]string{"rest": ".", "kubeconfig": "kubeconfig", "watch": "../watch", "stream": "../stream", "fakeapi": "../fakeapi", "clientgo": "clientgo"} {
		for _, name := range typesOf(t, dir) {
			if !covered[pkg+"."+name] {
				t.Errorf("%s.%s is not looked at", pkg, name)
			}
		}
	}
}

// fill sets everything that can be set in v, at any depth.
func fill(v reflect.Value, known map[reflect.Type]reflect.Value, depth int) {
	const deepest = 6
	if k, ok := known[v.Type()]; ok {
		v.Set(k)
		return
	}
	if depth > deepest {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), known, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), known, depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, known, depth+1)
		fill(value, known, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				fill(f, known, depth+1)
			}
		}
	default: // numbers hold no secrets; functions and channels print as addresses
	}
}

// typesOf returns the names of the types that a package exports, except aliases.
func typesOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join(dir, f.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncDecl); ok {
				return false // types inside of functions are nobody else's
			}
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() && !s.Assign.IsValid() {
				names = append(names, s.Name.Name)
			}
			return true
		})
	}
	return names
}
