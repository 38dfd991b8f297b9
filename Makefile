# Two commands set errdex up: `make serve` and `make test`. Both work on a fresh clone with Python 3.11+, pip and make.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
# Without --no-compile pip compiles all of PyTorch, most of which is never imported.
PIP := $(BIN)/python -m pip install --no-compile --disable-pip-version-check --progress-bar on -c constraints.txt
STEP = @printf '\n\033[1m== %s\033[0m\n'

.DEFAULT_GOAL := help
.PHONY: help serve test lint types unit browser index site benchmark privacy floods fuzz growth soak neighbour speed faults damage kills reload retrieval clean

help:
	@printf 'make serve      install, build the index and the site, serve both on http://$(HOST):$(PORT)\n'
	@printf 'make test       install everything and run everything that must hold\n'
	@printf 'make benchmark  measure lookup quality and speed\n'
	@printf 'make privacy    search 100,000 generated secrets in what errdex answers, logs and stores\n'
	@printf 'make floods     measure what rates and keys cost, and what a flood costs those who behave\n'
	@printf 'make fuzz       ask a million random requests and check every answer; growth, soak, neighbour: see docs/testing.md\n'
	@printf 'make speed      measure speed beside an echo, a naive service and txtai (16 minutes on an idle machine)\n'
	@printf 'make faults     try a real server with faults and attacks; some minutes\n'
	@printf 'make damage     load 100,000 damaged indexes; kills, reload, retrieval: see docs/index.md\n'
	@printf 'make clean      remove what was built\n'

$(BIN)/python:
	$(STEP) 'virtual environment in $(VENV)'
	$(PYTHON) -c 'import sys; sys.exit("errdex needs Python 3.11 or newer; set PYTHON=python3.11") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.serve: pyproject.toml constraints.txt | $(BIN)/python
	$(STEP) 'installing what serving needs'
	$(PIP) -e '.[site]'
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(STEP) 'installing what the tests need (PyTorch among it: some minutes the first time)'
	$(PIP) -e '.[test]'
	@touch $@ $(VENV)/.serve

index: $(VENV)/.serve
	$(STEP) 'index'
	$(BIN)/errdex index

site: $(VENV)/.serve
	$(STEP) 'site in three languages'
	$(BIN)/errdex site

# Links and the language switch of the site need its address; served together, the site may ask the server.
serve site: export ERRDEX_BASE_URL ?= http://$(HOST):$(PORT)
serve: export ERRDEX_API_URL ?= http://$(HOST):$(PORT)

serve: index site
	$(STEP) 'server'
	@exec $(BIN)/errdex serve --host $(HOST) --port $(PORT)

lint: $(VENV)/.test
	$(STEP) 'lint'
	$(BIN)/ruff check .

types: $(VENV)/.test
	$(STEP) 'types'
	$(BIN)/mypy

# The browser tests need Chromium: installed where that is possible, else they are skipped and say so (never in CI).
browser:
	@if command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  printf '\n\033[1m== installing Chromium for the browser tests\033[0m\n'; \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null; \
	else printf 'Chromium is not installed: the browser tests will be skipped.\n'; fi

unit: $(VENV)/.test browser index
	$(STEP) 'tests: units, entries, repro, API, site, wheel'
	$(BIN)/python -m pytest -ra -n logical --dist loadfile

test: lint types unit

benchmark: $(VENV)/.test
	$(BIN)/errdex benchmark
	$(BIN)/errdex benchmark --speed --quick

speed: $(VENV)/.test index
	$(BIN)/errdex benchmark --speed --scale

privacy: $(VENV)/.test index
	$(BIN)/python -m bench.privacy.measure --pairs 100000
	$(BIN)/python -m bench.privacy.canary --requests 100000

floods: $(VENV)/.test index
	$(BIN)/python -m bench.faults.counts
	$(BIN)/python -m bench.faults.guess
	$(BIN)/python -m bench.faults.flood

# Long runs: docs/testing.md says what each of them must show. `make test` runs a short form of the same code.
fuzz growth soak: $(VENV)/.test index
	$(STEP) '$@'
	$(BIN)/python -m bench.$@

neighbour: $(VENV)/.test index
	$(STEP) '$@'
	$(BIN)/python -m bench.faults.$@

faults: $(VENV)/.test index
	$(BIN)/python -m bench.faults

# Long runs on the index: docs/index.md.
damage kills reload: $(VENV)/.test index
	$(STEP) '$@'
	$(BIN)/python -m bench.faults.$@

retrieval: $(VENV)/.test index
	$(STEP) '$@'
	$(BIN)/python -m bench.speed.retrieval

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
