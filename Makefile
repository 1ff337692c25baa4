# truerank: what a developer types. Every target sets up what it needs on a bare machine with Python and a C compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard src/truerank/_*.pyx src/truerank/_*.pxd src/truerank/_*.h) setup.py

.DEFAULT_GOAL := help
.PHONY: help demo test lint types docs bench fuzz asan clean

help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(VENV)/ready: pyproject.toml $(KERNEL)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@

$(VENV)/demo: pyproject.toml $(KERNEL)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[demo]"
	@touch $@

$(VENV)/bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	@touch $@

demo: $(VENV)/demo ## search two real collections with two real retrievers and evaluate them
	@$(BIN)/truerank demo

test: $(VENV)/ready ## everything that must hold: lint, types, tests, laws, oracles, doctests, docs
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

lint: $(VENV)/ready ## style only
	$(BIN)/ruff check .

types: $(VENV)/ready ## types only
	$(BIN)/mypy

docs: $(VENV)/ready ## write the generated pages of docs/ anew
	$(BIN)/python docs/generate.py

bench: $(VENV)/bench ## against the peers, as ratios in one run (TREC_EVAL=path adds the reference)
	$(BIN)/python benchmarks/bench.py

fuzz: $(VENV)/ready ## throw damaged bytes at the kernel (SECONDS=60)
	$(BIN)/python tests/fuzz.py --seconds $(or $(SECONDS),60)

asan: $(VENV)/ready ## the kernel's tests under AddressSanitizer
	sh tests/asan.sh

clean: ## remove what was built
	rm -rf $(VENV) build src/truerank/*.so src/truerank/_kernel.c src/*.egg-info .pytest_cache .mypy_cache .ruff_cache
