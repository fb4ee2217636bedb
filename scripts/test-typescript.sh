#!/usr/bin/env bash
# The SDK for TypeScript: generated files, types, lint, format, tests, the package in a clean directory, conformance.
# The argument is the server to test with; target/debug/trunkline where there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
TRUNKLINE_BINARY=$(realpath "${1:-target/debug/trunkline}")
export TRUNKLINE_BINARY

command -v npm >/dev/null || scripts/apt-install.sh npm
major=$(node --version 2>/dev/null | sed -E 's/^v([0-9]+).*/\1/')
if [[ "${major:-0}" -lt 20 ]]; then
    echo "SKIPPED  SDK for TypeScript: it needs Node 20 or later, and this machine has ${major:-none}"
    exit 0
fi

python3 sdks/codegen/generate.py --check typescript
cd sdks/typescript
npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
npx --no-install tsc --noEmit
npx --no-install eslint .
npx --no-install prettier --check .
node scripts/reference.mjs --check
npm test --silent
npm run build --silent

# The package as the registry would get it, in a directory that has nothing else.
clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
npm pack --silent --ignore-scripts --pack-destination "$clean" >/dev/null
tsc=$PWD/node_modules/.bin/tsc
python3 -c 'import re, sys; print(re.search(r"```ts\n(.*?)```", sys.stdin.read(), re.S)[1])' <README.md >"$clean/readme.mts"
(
    cd "$clean"
    printf '{"private": true}\n' >package.json
    npm install --no-audit --no-fund --loglevel=error ./trunkline-*.tgz
    # The first program of the README, in a project without the types of Node.
    "$tsc" --noEmit --strict --module nodenext --target es2022 readme.mts
    node --input-type=module -e 'import { Client, Worker } from "trunkline"; import { devServer } from "trunkline/testing";
        if (!Client || !Worker || !devServer) process.exit(1);'
    node -e 'const { Client } = require("trunkline"); const { FakeContext } = require("trunkline/testing");
        if (!new Client().api || new FakeContext().attempt !== 1) process.exit(1);'
    # gRPC needs its peers, and says so.
    TRUNKLINE_TRANSPORT=grpc node -e 'try { new (require("trunkline").Client)(); process.exit(1); } catch (error) {
        if (!error.message.includes("trunkline/grpc")) throw error; }'
    npm install --no-audit --no-fund --loglevel=error "@grpc/grpc-js@^1.13.0" "@bufbuild/protobuf@^2.2.0" "kafkajs@^2.2.4"
    TRUNKLINE_KAFKA_BROKERS=127.0.0.1:1 TRUNKLINE_TRANSPORT=kafka node -e 'require("trunkline/kafka"); new (require("trunkline").Client)().close();'
    TRUNKLINE_KAFKA_BROKERS=127.0.0.1:1 TRUNKLINE_TRANSPORT=kafka node --input-type=module -e 'import "trunkline/kafka"; import { Client } from "trunkline"; await new Client().close();'
    TRUNKLINE_TRANSPORT=grpc node -e 'require("trunkline/grpc"); new (require("trunkline").Client)().close();'
    TRUNKLINE_TRANSPORT=grpc node --input-type=module -e 'import "trunkline/grpc"; import { Client } from "trunkline"; await new Client().close();'
)

cp ../../examples/video-pipeline/workers/{worker,video}.mjs "$clean"
python3 ../../examples/video-pipeline/workers/check.py "$TRUNKLINE_BINARY" node "$clean/worker.mjs"

for transport in rest grpc; do
    python3 ../conformance/run.py --binary "$TRUNKLINE_BINARY" --transport $transport --driver "node $PWD/conformance/driver.mjs"
done
