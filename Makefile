# make test is the one test command. It needs only Go. If redis-server, redis-cli, redis-benchmark, lua5.1 and lcov
# are installed, the tests compare with them; otherwise they say what they skip.
# FULL=1 adds staticcheck, the race detector, a million random commands, the site and the packages for other languages.

# Packages with more than one goroutine. Those that take longest begin first, so that the others fill the second processor.
RACE_PACKAGES = ./internal/corpus ./internal/e2e ./internal/cli/... ./internal/group/... ./scripting ./internal/testkit ./internal/commands ./internal/keyspace/... ./server/... ./internal/replication/... ./internal/engine/... ./miniredis/...
# The packages of all modules in go.work. ./... are those of one module.
ALL = work
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Compiling goreleaser takes minutes, so nothing but the targets of a release uses it.
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.15.1
# What clients/pack calls the packages: the newest tag.
VERSION ?= $(patsubst v%,%,$(shell git describe --tags --abbrev=0 2>/dev/null || echo v0.0.0))

.PHONY: build test lint units tidy race random systems site clients bench references packages release-check release-snapshot release

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o miniserver ./cmd/miniserver

# All parts run, also after one that fails; each tells how long it took, and those that failed are named at the end.
PARTS = lint units $(if $(FULL),race random systems site clients)
test:
	@trap 'exit 130' INT; failed=; for part in $(PARTS); do \
		echo "== $$part"; begin=$$(date +%s); $(MAKE) --no-print-directory $$part || failed="$$failed $$part"; \
		echo "== $$part took $$(($$(date +%s) - begin)) s"; done; \
	test -z "$$failed" || { echo "FAILED:$$failed (each is a target of its own)"; exit 1; }

# Tests that run side by side wait: for time that passes, or for other processes. So there may be more of them than processors.
# Nothing is vetted here: lint has looked for more. A busy machine needs more than the ten minutes for a package that are usual.
units:
	go test -vet=off -parallel 6 -timeout 40m $(ALL)

# Without the profile, as the program's packages would be compiled twice.
race:
	go test -vet=off -race -short -pgo=off -timeout 20m $(RACE_PACKAGES)

# 400,000 random commands for each of the usual releases. For another one, of which a server must be there, two million: make random LIKE=redis:7.4.
# See make references.
LIKE = redis:8.6 redis:8.0 redis:7.0
NAMED = $(findstring command line,$(origin LIKE))
random:
	for like in $(LIKE); do $(if $(NAMED),REQUIRE_REDIS=$$like) go test ./internal/difftest -run TestOursAgreesWithRedis -seeds $(if $(NAMED),20,4) -commands 100000 -timeout 60m -like $$like || exit 1; done

# Other processors: make systems SYSTEMS="windows/arm64 linux/arm64".
SYSTEMS = darwin/arm64 freebsd/amd64

# What other systems have instead: event loops over package net, whose build tag is netloops, and the files for Windows, macOS and FreeBSD. Windows,
# which differs most, is vetted with its tests. The others are compiled only to see that they can be, without what makes code fast.
systems:
	go test -short -tags netloops ./server
	for s in $(SYSTEMS); do \
		CGO_ENABLED=0 GOOS=$${s%/*} GOARCH=$${s#*/} go build -pgo=off -gcflags=all='-N -l' -o /dev/null ./cmd/miniserver || exit 1; done
	CGO_ENABLED=0 GOOS=windows go build -pgo=off -o /dev/null ./cmd/miniserver
	CGO_ENABLED=0 GOOS=windows go vet -pgo=off $(ALL)

# The documentation as a site, in packaging/site/public. A link that leads nowhere is an error.
site:
	packaging/site/build

# The packages for Python, Node and Java, and what clients of all languages do.
clients:
	clients/test

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: the files above are not formatted"; exit 1; }
	go vet $(ALL)
	$(if $(FULL),GOGC=300 go run $(STATICCHECK) $(ALL))
	$(if $(FULL),$(call each,go mod tidy -diff && go vet ./...))

# Each module must build without the workspace, too: so go install, goreleaser and docker do it.
each = export GOWORK=off; for m in $$(GOWORK= go list -m -f '{{.Dir}}'); do (cd $$m && $(1)) || exit 1; done

# What the go.mod of one module requires stands in those of the others, too.
tidy:
	$(call each,go mod tidy)

bench:
	go run ./bench compare

# Builds older releases of Redis to compare with; see internal/reference.
references:
	internal/reference/build

# The packages for Node, Python and Java with the program in them, for all platforms or those in PLATFORMS: dist/npm, dist/python, dist/maven.
packages:
	clients/pack $(VERSION) $(PLATFORMS)

# Compares packaging/goreleaser.yaml with what goreleaser knows.
release-check:
	$(GORELEASER) check packaging/goreleaser.yaml

# Everything that a release consists of, in dist/release. Nothing is published. The images need docker; without it: SKIP=docker.
release-snapshot:
	$(GORELEASER) release -f packaging/goreleaser.yaml --snapshot --clean $(if $(SKIP),--skip=$(SKIP))

# What the workflow of a release runs, for the tag that is checked out.
release:
	$(GORELEASER) release -f packaging/goreleaser.yaml --clean
