module github.com/miniserver-go/miniserver

go 1.26.0

require (
	github.com/blevesearch/snowballstem v0.9.0
	github.com/google/btree v1.1.3
	github.com/google/go-dap v0.12.0
	github.com/peterh/liner v1.2.3
	github.com/spf13/pflag v1.0.10
	github.com/stretchr/testify v1.12.1
	github.com/tidwall/redcon v1.6.2
	github.com/yuin/gopher-lua v1.1.2
	go.etcd.io/raft/v3 v3.6.0
	golang.org/x/sys v0.48.0
)

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect
	github.com/tidwall/btree v1.1.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
