# Each target is one command; nothing needs make.
.PHONY: build test race lint fuzz pages demo sbom vulnerabilities

# One static binary, as the Dockerfile takes it.
build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o mongoadvisor ./cmd/mongoadvisor

test:
	go test ./...

race:
	go test -race ./proxy ./wire ./internal/...

# golangci-lint v2.15.0; see CONTRIBUTING.md for how to get it.
lint:
	golangci-lint run ./...

# One target of one package: make fuzz IN=./internal/session FUZZ=FuzzSession
IN ?= ./wire
FUZZ ?= FuzzFramer
fuzz:
	go test -run '^$$' -fuzz '^$(FUZZ)$$' -fuzztime 30s $(IN)

# The pages of the rules, from the rules.
pages:
	UPDATE_PAGES=1 go test ./analyzers -run TestPages -count 1

demo:
	go run ./cmd/mongoadvisor demo

# The modules the binary consists of, as CycloneDX JSON.
sbom: build
	.ci/sbom mongoadvisor mongoadvisor.cdx.json

vulnerabilities:
	.ci/vulnerabilities
