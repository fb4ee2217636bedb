# The two commands that matter are `make run` and `make test`; both need only a Rust toolchain and install the rest.
# `make help` lists all.

# Toolchains live here when nobody put them on the PATH.
export PATH := $(PATH):$(HOME)/.cargo/bin

# Where rustup has no toolchain of the name in rust-toolchain.toml, another one that is installed and new enough does.
toolchain := $(shell PATH="$(PATH)" scripts/toolchain.sh)
ifneq ($(toolchain),)
export RUSTUP_TOOLCHAIN := $(toolchain)
endif

.DEFAULT_GOAL := help
# `bash` has a variable SECONDS of its own, so the script gets it as an argument.
SECONDS ?= 60
DB ?= postgres

.PHONY: help run dist test properties chaos fuzz bench fmt lint deny tidy config postgres clean-data

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: ## build and start the server; DATABASE_URL, PORT and TRUNKLINE_… are honored
	@exec scripts/run.sh

dist: ## build the binary that is shipped, stripped, with its symbols apart, into target/dist
	@exec scripts/dist.sh

test: ## check everything: format, rules, lints, and all tests on SQLite and PostgreSQL
	@exec scripts/test.sh

test-fast: ## a few minutes: format, rules, lints, unit tests, the store and the engine on SQLite
	@exec scripts/test-fast.sh

test-full: ## hours: `make test`, fresh seeds with a hundred times the cases, long chaos; SEED repeats a run
	@exec scripts/test-full.sh

properties: ## all properties with a fresh SEED and a hundred times the cases of `make test`, or CASES
	@SEED=$(SEED) CASES=$(CASES) exec scripts/properties.sh

chaos: ## faults from a SEED for SECONDS on DB (postgres or sqlite), and a checker of the history; see chaos/README.md
	@if [ "$(SECONDS)" -ge 600 ] && [ "$(PROPERTIES)" != 0 ]; then SEED=$(SEED) scripts/properties.sh; fi
	@exec scripts/chaos.sh --db $(DB) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(SHRINK),--shrink $(SHRINK)) \
		$(if $(FAULTS),--faults $(FAULTS))

fuzz: ## random input against all that reads text, MINUTES (10) for each target or one TARGET
	@MINUTES=$(or $(MINUTES),10) exec scripts/fuzz.sh $(TARGET)

bench: ## measure beside raw SQL; SIZE=full for the large sizes, PEERS=1 beside other queues; see load-tests/README.md
	@SIZE=$(or $(SIZE),quick) PEERS=$(or $(PEERS),0) exec scripts/bench.sh

fmt: ## format all code
	cargo fmt --all

lint: tidy ## check rules and lints
	cargo clippy --workspace --all-targets --locked -- -D warnings

deny: ## check licenses, sources and bans of what we depend on, and advisories where they can be read
	@scripts/deny.sh

tidy: ## check the rules of the house alone (a few seconds)
	@cargo run --quiet --locked -p xtask -- tidy

config: ## write config/default.toml from the defaults in the code
	cargo run --quiet --locked -p settings --example default_toml > config/default.toml.new
	mv config/default.toml.new config/default.toml

postgres: ## open a shell with a private PostgreSQL in TRUNKLINE_TEST_POSTGRES_URL, gone when the shell ends
	@exec scripts/with-postgres.sh $${SHELL:-bash}

clean-data: ## delete the embedded database of this checkout (data/)
	rm -rf data
