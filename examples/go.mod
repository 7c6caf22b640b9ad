module github.com/tideway-go/tideway/examples

go 1.26.0

require github.com/tideway-go/tideway v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	k8s.io/api v0.37.2 // indirect
)

replace github.com/tideway-go/tideway => ../
