#!/usr/bin/env bash
# The SDK for Go: generated files, format, vet, tests, the module from a program elsewhere, conformance.
# The argument is the server to test with; target/debug/trunkline where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TRUNKLINE_BINARY=$(realpath "${1:-target/debug/trunkline}")
export TRUNKLINE_BINARY

command -v go >/dev/null || scripts/apt-install.sh golang-go
minor=$(go env GOVERSION 2>/dev/null | sed -E 's/^go1\.([0-9]+).*/\1/')
if [[ "${minor:-0}" -lt 23 ]]; then
    echo "SKIPPED  SDK for Go: it needs Go 1.23 or later, and this machine has 1.${minor:-none}"
    exit 0
fi
export GOTOOLCHAIN=local GOFLAGS=-mod=mod

python3 sdks/codegen/generate.py --check go
cd sdks/go
unformatted=$(gofmt -l .)
if [[ -n "$unformatted" ]]; then
    printf 'not formatted by gofmt:\n%s\n' "$unformatted"
    exit 1
fi
go vet ./...
go test ./...

# gRPC is a module of its own. Its stubs are those of the contract.
minor_needed=25
if [[ "$minor" -ge "$minor_needed" ]]; then
    command -v protoc >/dev/null || ../../scripts/apt-install.sh protobuf-compiler
    (cd grpc && go vet ./... && go test ./...)
    # Jobs from Kafka are a module of their own as well.
    (cd kafka && go vet ./... && go test ./...)
    python3 ../codegen/stubs.py --check
else
    echo "SKIPPED  gRPC of the SDK for Go: it needs Go 1.$minor_needed or later"
fi

# A program in a module of its own, as users have it.
clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
mkdir "$clean/app"
cat >"$clean/app/main.go" <<'GO'
package main

import (
	"context"
	"fmt"

	trunkline "trunkline.dev/go"
)

func main() {
	client, err := trunkline.NewClient()
	if err != nil {
		panic(err)
	}
	w := trunkline.NewWorker(client, trunkline.Concurrency(50))
	trunkline.Handle(w, "greet", func(_ context.Context, name string) (string, error) { return "Hello, " + name, nil })
	fmt.Println(w.Health())
}
GO
(
    cd "$clean/app"
    go mod init example.com/app 2>/dev/null
    go mod edit -require trunkline.dev/go@v0.1.0 -replace "trunkline.dev/go=$OLDPWD"
    [[ $(go run .) == starting ]]
    if [[ "$minor" -ge "$minor_needed" ]]; then
        # gRPC, as users add it.
        sed -i 's|^\ttrunkline "trunkline.dev/go"|\t_ "trunkline.dev/go/grpc"\n&|' main.go
        go mod edit -require trunkline.dev/go/grpc@v0.1.0 -replace "trunkline.dev/go/grpc=$OLDPWD/grpc"
        [[ $(TRUNKLINE_TRANSPORT=grpc go run .) == starting ]]
    fi
)

go build -o "$clean/driver" ./conformance
(cd ../../examples/video-pipeline/workers/go && gofmt -l . && go vet . && go build -o "$clean/video" .)
python3 ../../examples/video-pipeline/workers/check.py "$TRUNKLINE_BINARY" "$clean/video"

python3 ../conformance/run.py --binary "$TRUNKLINE_BINARY" --driver "$clean/driver"
if [[ "$minor" -ge "$minor_needed" ]]; then
    (cd grpc && go build -o "$clean/driver-grpc" ./conformance)
    python3 ../conformance/run.py --binary "$TRUNKLINE_BINARY" --driver "$clean/driver-grpc" --transport grpc
fi
