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
)

go build -o "$clean/driver" ./conformance
(cd ../../examples/video-pipeline/workers/go && gofmt -l . && go vet . && go build -o "$clean/video" .)
python3 ../../examples/video-pipeline/workers/check.py "$TRUNKLINE_BINARY" "$clean/video"

python3 ../conformance/run.py --binary "$TRUNKLINE_BINARY" --driver "$clean/driver"
