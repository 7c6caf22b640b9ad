package rest

import (
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// fill sets kind and apiVersion in the object that v points to where it has a
// place for them and says nothing itself: servers leave them out in lists. A nil
// kind is not known.
func (s *shape) fill(v any, k *Kind) {
	if k == nil {
		return
	}
	switch v := v.(type) {
	case *Metadata:
		v.As(*k)
		return
	case *Object:
		fillMap(*v, k)
		return
	case *map[string]any:
		fillMap(*v, k)
		return
	case *any:
		if m, ok := (*v).(map[string]any); ok {
			fillMap(m, k)
		}
		return
	}
	o := reflect.ValueOf(v).Elem()
	switch {
	case o.Kind() == reflect.Struct:
		fillField(o, s.kind, k.Kind)
		fillField(o, s.apiVersion, k.APIVersion())
	case o.Kind() == reflect.Map && !o.IsNil():
		fillEntry(o, "kind", k.Kind)
		fillEntry(o, "apiVersion", k.APIVersion())
	case isRaw(o.Type()):
		if b, err := inspect(o.Bytes()); err == nil {
			o.SetBytes(b.complete(k))
		}
	}
}

func fillMap(m map[string]any, k *Kind) {
	if m == nil {
		return
	}
	if s, ok := m["kind"].(string); s == "" && (ok || m["kind"] == nil) {
		m["kind"] = k.Kind
	}
	if s, ok := m["apiVersion"].(string); s == "" && (ok || m["apiVersion"] == nil) {
		m["apiVersion"] = k.APIVersion()
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
	case isRaw(elem) && (!old.IsValid() || empty(old.Bytes())):
		m.SetMapIndex(key, reflect.ValueOf(jsontext.Value(strconv.Quote(value))).Convert(elem))
	}
}
