# The commands of this checkout. `make run` and `make test` need nothing but git, make, a C
# compiler, Rust and Node; the rest is fetched into this folder or, with apt, installed.

TARGET := $(or $(CARGO_TARGET_DIR),target)
DRIVER := $(TARGET)/tools/bin/tauri-driver
CONFORMANCE := .ci/conformance/node_modules/.installed
SERVERS := .ci/servers/node_modules/.installed
MEASURED := .ci/bench/node_modules/.installed

# Unoptimised by default: a first start compiles in half the time, and what a person waits for in
# the window is the web view and the model, not Nova's own code. `make run PROFILE=release` else.
PROFILE ?= dev
# How many property edits `make fuzz` makes, and how many inputs it gives every other property. WINDOWS is how
# often it stops a Nova for a user to act: `all` tries every stop and kill of the operations of one note, which
# takes hours.
EDITS ?= 100000
CASES ?= 20000
WINDOWS ?= $(CASES)

# One selection of crates and features for every build that runs tests, so that dependencies are
# compiled once. Without the window: plain `cargo test --workspace`, which needs no web view.
WITH_WINDOW := --workspace --features desktop

# Where clippy-driver is the workspace wrapper, as in CI, it looks at the crates while the tests compile them.
ifeq ($(notdir $(RUSTC_WORKSPACE_WRAPPER)),clippy-driver)
CLIPPY = @echo 'clippy runs with test-rust'
WITH_TESTS = cargo test --no-run $(WITH_WINDOW) --benches --test '*'
else
CLIPPY = cargo clippy $(WITH_WINDOW) --all-targets -- -D warnings
endif

# What `make run` starts. The example makes cargo choose the features that tests need too, so that a start after
# `make test` compiles no dependency again.
PROGRAMS := $(WITH_WINDOW) --bins --example bare-window

# `make bundle BUNDLED=` makes unoptimised installers, to look at what is in them.
BUNDLED ?= --release

UI_SOURCES := $(shell find ui/src ui/index.html ui/*.ts ui/package.json skills/*/ui 2>/dev/null)

.NOTPARALLEL:
.PHONY: help run test bench bundle setup ui lint test-rust test-ui test-window conformance conformance-next servers screenshots generate oracles fuzz

help:
	@echo 'make run          install what is missing, build, open the window'
	@echo 'make test         everything that must pass: lint test-ui test-rust conformance servers test-window'
	@echo 'make conformance-next  what the next version of MCP would ask for; a report'
	@echo 'make bench        measure, print a table'
	@echo 'make bundle       installers of this system'
	@echo 'make setup        what run and test would install, and nothing else'
	@echo 'make ui           the page of the window, into ui/dist'
	@echo 'make generate     rewrite the files generated from Rust'
	@echo 'make oracles      rewrite the fixtures that libraries of other authors compute; needs Python'
	@echo 'make screenshots  rewrite docs/screenshots'
	@echo 'make fuzz         every property test: EDITS=$(EDITS) property edits, CASES=$(CASES) of the rest, WINDOWS=$(WINDOWS)'

run:
	@.ci/display check
	@.ci/setup run
	@$(MAKE) ui
	cargo build --profile $(PROFILE) $(PROGRAMS)
	$(TARGET)/$(patsubst dev,debug,$(PROFILE))/nova

test:
	@rm -f $(TARGET)/parts.log
	@.ci/part $(TARGET) setup
	@.ci/setup test
	@$(MAKE) lint test-ui test-rust conformance servers test-window
	@.ci/part $(TARGET)
	@echo '== all passed'

setup:
	@.ci/setup test
	@$(MAKE) ui/node_modules/.installed $(CONFORMANCE) $(SERVERS) $(DRIVER)

ui: ui/dist/index.html

lint: ui
	@.ci/part $(TARGET) lint
	cargo fmt --all --check
	$(CLIPPY)
	cargo check -p nova --bin nova
	.ci/layers
	node --test --test-reporter=dot .ci/circles/circles.test.mjs
	.ci/circles/check.mjs
	cd ui && npm run --silent lint

test-ui: ui/node_modules/.installed
	@.ci/part $(TARGET) test-ui
	cd ui && npm test --silent

# Also fails when a generated file is stale; `make generate` rewrites it.
test-rust: ui
	@.ci/part $(TARGET) test-rust
	$(WITH_TESTS)
	cargo test $(WITH_WINDOW)

# The official suite of MCP against Nova as a server; what it is not meant to pass is listed beside it.
conformance: $(CONFORMANCE)
	@.ci/part $(TARGET) conformance
	cargo build $(PROGRAMS)
	.ci/conformance/run.mjs $(TARGET)/debug/nova

# What the suite of the protocol's next version finds; a report that fails nothing.
conformance-next: $(CONFORMANCE)
	cargo build $(PROGRAMS)
	.ci/conformance/run.mjs $(TARGET)/debug/nova next

# Real MCP servers of npm and PyPI, each added, listed and called as a user does.
servers: $(SERVERS)
	@.ci/part $(TARGET) servers
	cargo build $(PROGRAMS)
	.ci/servers/run.mjs $(TARGET)/debug/nova

# On Linux each test makes a virtual display of its own; elsewhere two windows take the focus from each other.
test-window: ui $(DRIVER)
	@.ci/part $(TARGET) test-window
	env -u DISPLAY -u WAYLAND_DISPLAY cargo test $(WITH_WINDOW) --test e2e -- \
	  --test-threads=$(if $(filter Linux,$(shell uname -s)),2,1)

screenshots: ui $(DRIVER)
	.ci/display run cargo test $(WITH_WINDOW) --test screenshots

# Installers of this system, below $(TARGET)/release/bundle. The two programs that Nova starts lie in
# them beside it; the names with the target are what Tauri asks for. BUNDLES=deb makes one kind.
bundle: ui/node_modules/.installed
	cargo build $(BUNDLED) -p nova-guard --bin nova-guard -p nova-script --bin nova-script
	mkdir -p gen/programs
	for program in nova-guard nova-script; do \
	  cp $(TARGET)/$(if $(BUNDLED),release,debug)/$$program \
	    gen/programs/$$program-$$(rustc -vV | sed -n 's/^host: //p') || exit 1; \
	done
	npx --yes @tauri-apps/cli@~2.12 build $(if $(BUNDLED),,--debug) --config src-tauri/bundle.conf.json \
	  $(if $(BUNDLES),--bundles $(BUNDLES))

# NOVA_BENCH_NOTES=1000,10000 measures smaller vaults only. A goal that is missed keeps nothing else from
# being measured.
bench:
	@.ci/setup bench
	@$(MAKE) ui $(DRIVER) $(MEASURED)
	cargo build --release $(PROGRAMS)
	.ci/display run cargo bench $(WITH_WINDOW) --no-fail-fast --bench '*'

generate:
	NOVA_GENERATE=1 cargo test -p nova-protocol --test generated
	NOVA_GENERATE=1 cargo test --workspace --features desktop --test journeys -- the_forms_of_the_page

# A quarter of an hour; the same libraries write the same bytes.
oracles: .cache/oracles/.installed .cache/markets/.installed
	@mkdir -p gen/markets
	.cache/markets/bin/python -B .ci/oracles/markets.py gen/markets
	.cache/markets/bin/python -B .ci/oracles/returns.py > gen/markets/returns.txt
	mv gen/markets/*.txt src-tauri/crates/nova-market/tests/oracle
	.cache/oracles/bin/python -B .ci/oracles/recurrence.py > gen/recurrence.txt
	mv gen/recurrence.txt src-tauri/crates/nova-dav/tests/oracle/recurrence.txt

fuzz:
	NOVA_FUZZ_EDITS=$(EDITS) NOVA_FUZZ_SAVES=$(CASES) NOVA_INTERLEAVINGS=$(CASES) NOVA_WINDOWS=$(WINDOWS) \
	  cargo test --release -p nova-note -p nova-vault

# The lock is the truth: packages are installed again only when it changed.
ui/node_modules/.installed: ui/package-lock.json
	@.ci/setup node
	cd ui && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(CONFORMANCE): .ci/conformance/package-lock.json
$(MEASURED): .ci/bench/package-lock.json
$(CONFORMANCE) $(MEASURED):
	@.ci/setup node
	cd $(@D)/.. && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# Without Python or a network only those servers are installed that can be.
$(SERVERS): .ci/servers/package-lock.json .ci/servers/requirements.txt
	@.ci/setup node
	.ci/servers/install

.cache/oracles/.installed: .ci/oracles/requirements.txt
.cache/markets/.installed: .ci/oracles/markets.txt
.cache/oracles/.installed .cache/markets/.installed:
	python3 -m venv $(@D)
	$(@D)/bin/pip install -q --disable-pip-version-check --require-hashes --only-binary :all: -r $<
	@mkdir -p gen
	@touch $@

ui/dist/index.html: ui/node_modules/.installed $(UI_SOURCES)
	cd ui && npm run --silent build
	@touch $@

# Into this folder, never into the user's own ~/.cargo.
$(DRIVER):
	cargo install tauri-driver --version '~2.1' --locked --root $(TARGET)/tools
