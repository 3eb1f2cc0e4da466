# Each target does its own set-up: python3 with venv, make and git are all it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Many tests wait for a clock more than for a processor.
WORKERS ?= 4

.PHONY: demo test screenshots lint types imports bytecode texts bench lock clean
.DEFAULT_GOAL := help

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# The venv is made anew when the lock changes; hashes keep what is installed to what was reviewed.
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV), once: this takes a minute or two."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q bridge  # what an ordinary installation does, so that the first start is no slower
	@touch $@

setup: $(STAMP) ## make the virtual environment

demo: $(STAMP) ## see it run: no token, no network
	$(BIN)/hapi-bridge demo

test: $(STAMP) ## every check that needs nothing but Python
	@$(MAKE) --no-print-directory -j 2 lint types imports bytecode
	$(BIN)/python -m pytest -n $(WORKERS) --maxschedchunk 4

screenshots: $(STAMP) ## remake docs/images (needs Chromium)
	$(BIN)/python -m tests.browser.screenshots

lint: $(STAMP) ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy, strict
	$(BIN)/mypy

imports: $(STAMP) ## the direction of imports
	$(BIN)/lint-imports --no-cache

# Compiles the tests once, beside the checks that take one processor, or else each worker does. What can't be collected
# the tests themselves will say.
bytecode: $(STAMP)
	@-PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --collect-only -p no:cacheprovider >/dev/null 2>&1

texts: $(STAMP) ## bring the catalogues of other languages up to what the code says
	$(BIN)/python -m scripts.texts

bench: $(STAMP) ## figures, never part of the tests
	$(BIN)/python -m bench

lock: ## pin anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-find-links --no-emit-index-url --no-header pyproject.toml --group dev -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-find-links --no-emit-index-url --no-header pyproject.toml -o requirements-run.lock

clean: ## forget the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
