# Works on a fresh clone with Python 3.11 or later and make; everything else lands in .venv.

PYTHON ?= $(shell for python in python3.11 python3 python3.12 python3.13 python3.14; do \
	"$$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { command -v "$$python"; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
# A lock holds everything that is needed, so pip need not look for a version of its own.
SYNC = $(PIP) --require-hashes --no-deps $(patsubst %,-r %,$(filter %.lock,$^))
LOCK = build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)

# Else each process that a test starts would compile all of twin again.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: demo test check-types run-tests test-more truth campaign soak coverage bench lock clean postgresql chromium prometheus

# The first half needs neither Spark nor Java: it is shown before they are fetched.
demo: $(VENV)/.runtime
	@$(BIN)/python -m twin.demo --part cluster
	@$(MAKE) --no-print-directory $(VENV)/.history
	@$(BIN)/python -m twin.demo --part year
	@$(MAKE) --no-print-directory $(VENV)/.web
	@$(BIN)/python -m twin.demo --part service

test: $(VENV)/.test postgresql chromium prometheus
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --quiet --check
	@$(MAKE) --no-print-directory -j2 check-types run-tests

check-types:
	@$(BIN)/mypy --no-error-summary

run-tests:
	@$(BIN)/python -m pytest -q -n auto

# Before a release: the laws, each with many random examples, and all that only repeats.
test-more: $(VENV)/.test postgresql chromium prometheus
	@$(BIN)/python -m pytest -q -n auto -m 'hypothesis or more' --hypothesis-profile=many

# Compares what is said of many estates with the truth: `make truth SEEDS=1-2000`. What is measured is
# kept in build/truth, so that it can be stopped and goes on.
truth: $(VENV)/.test
	@mkdir -p build/truth
	@$(BIN)/python -m tests.truth.measure $(or $(SEEDS),1-2000) --to build/truth/estates.jsonl \
		--figures build/truth/figures.txt

# Random estates in which switches and reallocations take time: `make campaign SEEDS=1-3000`.
campaign: $(VENV)/.test
	@$(BIN)/python -m tests.campaign $(or $(SEEDS),1-3000)

# Kills, tampers and compares for some minutes: `make soak MINUTES=60`; SEED=N repeats one.
soak: $(VENV)/.test postgresql
	@$(BIN)/python -m tests.soak --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))

coverage: $(VENV)/.test postgresql chromium prometheus
	@$(BIN)/python -m pytest -q -n auto --cov --cov-report=term

bench: $(VENV)/.bench
	@$(BIN)/python -m benchmarks

# Keeps the versions that still fit; `make lock UPGRADE=1` takes the newest of all.
lock: build/lock/bin/uv
	@$(LOCK) --group build -o requirements/build.lock
	@$(LOCK) pyproject.toml -c requirements/build.lock -o requirements/runtime.lock
	@$(LOCK) pyproject.toml --extra web -c requirements/runtime.lock -o requirements/web.lock
	@$(LOCK) --group test -c requirements/build.lock -c requirements/runtime.lock \
		-c requirements/web.lock -o requirements/test.lock
	@$(subst 3.11,3.12,$(LOCK)) --group clients -c requirements/test.lock \
		-o requirements/clients.lock
	@$(LOCK) --group bench -c requirements/runtime.lock -c requirements/web.lock -c requirements/test.lock \
		-o requirements/bench.lock
	@$(LOCK) pyproject.toml --extra history -c requirements/runtime.lock \
		-o requirements/history.lock

clean:
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

postgresql:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo 'installing PostgreSQL' && \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install --no-install-recommends postgresql >/dev/null; } || \
		echo 'PostgreSQL (initdb) is missing: its tests are skipped, and fail with CI=true' >&2

chromium prometheus:
	@command -v $@ >/dev/null || { \
		[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo 'installing $@' && \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install --no-install-recommends $@ >/dev/null; } || \
		echo '$@ is missing: its tests are skipped, and fail with CI=true' >&2

$(BIN)/python:
	@[ -n "$(PYTHON)" ] || { echo 'make: Python 3.11 or later with venv is needed' >&2; exit 2; }
	@echo 'setting up $(VENV)'
	@"$(PYTHON)" -m venv $(VENV)

$(VENV)/.runtime: requirements/build.lock requirements/runtime.lock pyproject.toml | $(BIN)/python
	@$(SYNC)
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/.history: requirements/history.lock $(VENV)/.runtime
	@echo 'fetching PySpark, Java and pyarrow for long histories: about 570 MB, once'
	@$(SYNC)
	@touch $@

$(VENV)/.web: requirements/web.lock $(VENV)/.runtime
	@echo 'fetching FastAPI and uvicorn for twin serve'
	@$(SYNC)
	@touch $@

$(VENV)/.test: requirements/test.lock $(VENV)/.history $(VENV)/.web $(VENV)/.clients
	@$(SYNC)
	@touch $@

# pymqrest asks for Python 3.12; it uses nothing that 3.11 lacks, and its tests run there too.
$(VENV)/.clients: requirements/clients.lock $(VENV)/.runtime
	@$(SYNC) --ignore-requires-python
	@touch $@

$(VENV)/.bench: requirements/bench.lock $(VENV)/.history
	@$(SYNC)
	@touch $@

build/lock/bin/uv: | $(BIN)/python
	@$(BIN)/python -m venv build/lock
	@build/lock/bin/python -m pip install -qq --disable-pip-version-check uv
