module github.com/miniserver-go/miniserver/internal/hunt

go 1.26.0

require github.com/miniserver-go/miniserver v0.0.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/stretchr/testify v1.12.1
	golang.org/x/sys v0.48.0
)

require (
	github.com/google/btree v1.1.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/miniserver-go/miniserver => ../..
