module github.com/tideway-go/tideway/fakeapi/conformance

go 1.26.0

replace github.com/tideway-go/tideway => ../..

require go.uber.org/goleak v1.3.0
