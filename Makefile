# Every target sets up what it needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3; do \
	"$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$name"; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/.locked
STAMP := $(VENV)/.set-up
JOBS ?= 2

.PHONY: help
help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

$(LOCKED): requirements/dev.lock
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed; name one with make PYTHON=…" >&2; exit 2; }
	@echo "setting up $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

$(STAMP): $(LOCKED) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: setup
setup: $(STAMP) ## Make the virtual environment from the locked versions (quick when nothing changed).

.PHONY: demo
demo: $(STAMP) ## Probe a healthy and a broken server of our own.
	@$(BIN)/toolwire demo

.PHONY: test
test: $(STAMP) ## Run the tests.
	@$(BIN)/python -m pytest -n $(JOBS) -q --cov --cov-report=

.PHONY: check
check: lint types layers fresh wheel test coverage ## Everything that CI runs.

.PHONY: lint
lint: $(STAMP) ## Check style and what the project says of itself.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { echo "run make fmt" >&2; exit 1; }
	@$(BIN)/python scripts/check_hygiene.py

.PHONY: types
types: $(STAMP) ## Check types, strictly.
	@$(BIN)/mypy

.PHONY: layers
layers: $(STAMP) ## Check that imports go downwards only and that no rule imports another.
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/check_rules.py

.PHONY: fresh
fresh: $(STAMP) ## Check that what is generated is up to date.
	@$(BIN)/python scripts/generate_docs.py --check

.PHONY: coverage
coverage: $(STAMP) ## Hold the pure half to its branch coverage, as the last run of the tests left it.
	@$(BIN)/python scripts/check_coverage.py

.PHONY: wheel
wheel: $(STAMP) ## Build the wheel and try it where the source is out of reach.
	@$(BIN)/python scripts/smoke_wheel.py

.PHONY: docs
docs: $(STAMP) ## Make the generated pages anew.
	@$(BIN)/python scripts/generate_docs.py

.PHONY: fmt
fmt: $(STAMP) ## Put the code into its form.
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet . || true

.PHONY: bench
bench: $(STAMP) ## Measure the judge and the live path, as ratios within one run.
	@$(BIN)/python bench/judge_speed.py
	@$(BIN)/python bench/live_path.py
	@$(BIN)/python bench/corpus.py || true

.PHONY: lock
lock: ## Pin the newest versions again (needs uv).
	@$(PYTHON) scripts/lock.py

.PHONY: clean
clean: ## Remove what can be made again.
	@rm -rf $(VENV) dist build .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
