package shape

import (
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tideway-go/tideway/rest/internal/wire"
)

// Fill sets kind and apiVersion in the object that v points to, if it has a place for them and does
// not set them itself: servers leave them out in lists.
func (s *Shape) Fill(v any, kind, apiVersion string) {
	switch v := v.(type) {
	case *map[string]any:
		fillMap(*v, kind, apiVersion)
		return
	case *any:
		if m, ok := (*v).(map[string]any); ok {
			fillMap(m, kind, apiVersion)
		}
		return
	}
	o := reflect.ValueOf(v).Elem()
	switch {
	case o.Kind() == reflect.Struct:
		fillField(o, s.kind, kind)
		fillField(o, s.apiVersion, apiVersion)
	case o.Kind() == reflect.Map && !o.IsNil():
		if o.Type().ConvertibleTo(mapType) {
			fillMap(o.Convert(mapType).Interface().(map[string]any), kind, apiVersion)
			return
		}
		fillEntry(o, "kind", kind)
		fillEntry(o, "apiVersion", apiVersion)
	case isRaw(o.Type()):
		if is, err := wire.ReadIdentity(o.Bytes()); err == nil {
			o.SetBytes(wire.Complete(o.Bytes(), &is, kind, apiVersion))
		}
	}
}

var mapType = reflect.TypeFor[map[string]any]()

func fillMap(m map[string]any, kind, apiVersion string) {
	if m == nil {
		return
	}
	if s, ok := m["kind"].(string); s == "" && (ok || m["kind"] == nil) {
		m["kind"] = kind
	}
	if s, ok := m["apiVersion"].(string); s == "" && (ok || m["apiVersion"] == nil) {
		m["apiVersion"] = apiVersion
	}
}

func fillField(o reflect.Value, index []int, value string) {
	if index == nil {
		return
	}
	if f := o.FieldByIndex(index); f.Len() == 0 {
		f.SetString(value)
	}
}

// fillEntry fills in an entry of a map of strings, or of raw values.
func fillEntry(m reflect.Value, name, value string) {
	key := reflect.ValueOf(name).Convert(m.Type().Key())
	elem := m.Type().Elem()
	old := m.MapIndex(key)
	switch {
	case elem.Kind() == reflect.String && (!old.IsValid() || old.Len() == 0):
		m.SetMapIndex(key, reflect.ValueOf(value).Convert(elem))
	case elem.Kind() == reflect.Interface && elem.NumMethod() == 0 && (!old.IsValid() || old.IsNil()):
		m.SetMapIndex(key, reflect.ValueOf(value))
	case isRaw(elem) && (!old.IsValid() || wire.IsEmpty(old.Bytes())):
		m.SetMapIndex(key, reflect.ValueOf(jsontext.Value(strconv.Quote(value))).Convert(elem))
	}
}
