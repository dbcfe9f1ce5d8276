# make test is the one test command. It needs only Go; where redis-server, redis-cli,
# redis-benchmark and lua5.1 are installed, the tests run beside them too, and say what they skip
# where not.

# Packages in which goroutines meet.
RACE_PACKAGES = ./engine/... ./keyspace/... ./scripting ./server/... ./cmd/...
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test race lint bench

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o miniserver ./cmd/miniserver

test: lint
	go test ./...
	$(if $(RACE),go test -race -short $(RACE_PACKAGES))

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: the files above are not formatted"; exit 1; }
	go vet ./...
	$(if $(RACE),go run $(STATICCHECK) ./...)

bench:
	go run ./bench compare
