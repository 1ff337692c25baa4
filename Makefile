# truerank: what a developer types. Every target sets up what it needs on a bare machine with Python and a C compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PEERS := .peers
JOBS ?= auto
KERNEL := $(wildcard $(addprefix src/truerank/core/kernel/*.,pyx pxd pxi h)) setup.py

# The tests start hundreds of processes, each of which would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test coverage wheel site lint types docs locale fresh bench calibrate peers spark fuzz asan clean board

help: ## list the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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

$(VENV)/board: pyproject.toml $(KERNEL)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[board,demo]"
	@touch $@

$(VENV)/bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	@touch $@

demo: $(VENV)/demo ## search real collections with real retrievers and evaluate them
	@$(BIN)/truerank demo

test: $(VENV)/ready ## everything that must hold: lint, types, tests, laws, oracles, doctests, docs
	sh tests/system.sh
	$(BIN)/ruff check .
	@$(BIN)/mypy & types=$$!; \
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(JOBS) --dist loadfile; tests=$$?; \
	wait $$types && exit $$tests

coverage: $(VENV)/ready ## which lines of the package no test reaches
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -n $(JOBS) --dist loadfile --cov --cov-report term

wheel: ## dist/: the wheel of this machine's Python, built in an environment of its own
	$(PYTHON) -m pip wheel --quiet --no-deps --wheel-dir dist .

fresh: ## build the wheel, install it in an empty environment and evaluate: how long that takes
	@$(PYTHON) benchmarks/fresh.py

site: $(VENV)/ready ## the documentation site in build/site, without a warning or a dead link
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

lint: $(VENV)/ready ## style only
	$(BIN)/ruff check .

types: $(VENV)/ready ## types only
	$(BIN)/mypy

docs: $(VENV)/ready ## write the generated pages of docs/ anew
	$(BIN)/python docs/generate.py

locale: $(VENV)/ready ## bring the catalogues of translations up to what the source says
	$(BIN)/python docs/catalogues.py

bench: $(VENV)/bench $(PEERS)/ready $(PEERS)/trec_eval ## against the peers, as ratios in one run (TREC_EVAL=path: another reference)
	TREC_EVAL=$${TREC_EVAL:-$(abspath $(PEERS))/trec_eval} $(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/board.py
	sh tests/system.sh java
	$(BIN)/python -W ignore benchmarks/spark.py
	$(BIN)/python -W ignore benchmarks/scaling.py

$(PEERS)/ready: tests/peers/requirements.txt tests/peers/requirements-bare.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --requirement tests/peers/requirements.txt
	$(PEERS)/bin/python -m pip install --quiet --no-deps --requirement tests/peers/requirements-bare.txt
	@touch $@

$(PEERS)/trec_eval: $(PEERS)/ready tests/peers/trec_eval_program.py
	-$(PEERS)/bin/python tests/peers/trec_eval_program.py $@

peers: $(VENV)/ready $(PEERS)/ready $(PEERS)/trec_eval ## the presets against the tools themselves, in .peers (TORCH=1 adds PyTorch's, RAGAS, DeepEval and LensKit, TENSORFLOW=1 TF-Ranking)
	$(if $(TORCH),$(PEERS)/bin/python -m pip install --quiet torch torchmetrics==1.9.0 pytorch-metric-learning==2.9.0 ragas==0.4.3 "langchain-community<0.4")
	$(if $(TORCH),$(PEERS)/bin/python -m pip install --quiet deepeval==4.3.1 lenskit==2025.8.1 "pyarrow~=20.0")
	$(if $(TENSORFLOW),$(PEERS)/bin/python -m pip install --quiet tensorflow-cpu==2.21.0 six)
	$(if $(TENSORFLOW),$(PEERS)/bin/python -m pip install --quiet --no-deps tensorflow-ranking==0.5.5)
	TREC_EVAL_9=$$(ls $(abspath $(PEERS))/trec_eval 2> /dev/null) $(BIN)/pytest tests/peers tests/interop/test_trec_eval.py tests/interop/test_trec_eval_groups.py

spark: $(VENV)/ready ## runs on Spark, in processes of its own on this machine (Java by tests/system.sh)
	sh tests/system.sh java
	$(BIN)/pytest tests/interop/spark

calibrate: $(VENV)/ready ## do intervals and tests keep their promises? (half an hour)
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/calibrate.py --write

fuzz: $(VENV)/ready ## throw damaged bytes at the kernel (SECONDS=60)
	$(BIN)/python tests/fuzz.py --seconds $(or $(SECONDS),60)

asan: $(VENV)/ready ## the kernel's tests under AddressSanitizer
	sh tests/asan.sh

board: $(VENV)/board ## start a leaderboard with a real contest on it (PORT=8000)
	@$(BIN)/truerank board demo build/board
	@$(BIN)/truerank serve --board build/board/board.toml --port $(or $(PORT),8000)

clean: ## remove what was built
	rm -rf $(VENV) $(PEERS) build src/truerank/core/kernel/*.so src/truerank/core/kernel/*.c src/*.egg-info .pytest_cache .mypy_cache .ruff_cache
