module github.com/tideway-go/tideway/fakeapi/conformance

go 1.26.0

replace github.com/tideway-go/tideway => ../..

require (
	github.com/tideway-go/tideway v0.0.0-00010101000000-000000000000
	go.uber.org/goleak v1.3.0
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)
