# English Nap as a reinforcement-learning environment. `make help` lists what there is.
# Needs make and Python 3.11 or newer; all else goes into .venv.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= logical#  test processes; 0: none beside pytest itself
ARGS   ?=#          more words for pytest, `nap train` or `nap bench`
PIP    ?=#          more words for pip install, such as an index with another build of torch

BIN  := $(VENV)/bin
TEST := $(BIN)/python -m pytest
CODE := nap_env agents train

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help train test quick check format test-nojit test-bounds bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile
	@echo 'Settings, with examples: PYTHON=python3.12  JOBS=0  ARGS="-k auction"'

train: $(VENV)/.train ## train an agent, within 5 minutes, and show what it is worth
	@$(BIN)/nap train $(ARGS)

test: $(VENV)/.all ## every test
	@$(TEST) -n $(JOBS) --dist loadgroup $(ARGS)

quick: $(VENV)/.all ## the tests of the inner loop, under a minute; ends at the first failure
	@$(TEST) -n $(JOBS) --dist loadgroup -q -x -m "not (slow or learning)" $(ARGS)

check: $(VENV)/.all ## ruff, mypy, import walls
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "make format would change files"; exit 1; }
	@$(BIN)/mypy --strict $(CODE)
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/.all ## let ruff mend what it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

test-nojit: $(VENV)/.all ## the quick tests, with every kernel as plain Python
	@NUMBA_DISABLE_JIT=1 $(TEST) -n $(JOBS) --dist loadgroup \
		-m "not (jit or slow or learning)" $(ARGS)

test-bounds: $(VENV)/.all ## the tests with bounds checks in every kernel
	@NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/.cache/numba-bounds" \
		$(TEST) -n $(JOBS) --dist loadgroup -m "not learning" $(ARGS)

bench: $(VENV)/.all ## our speed beside that of the peers
	@$(BIN)/nap bench $(ARGS)

clean: ## remove what these commands made, but not runs/
	@rm -rf .venv .cache .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache \
		.ruff_cache build dist *.egg-info
	@find $(CODE) tests -type d -name __pycache__ -prune -exec rm -rf {} +

# ------------------------------------------------------------------------------------------------
# The environment. A stamp says that a set of extras is in it, as of these two files.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11")'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.train: EXTRAS := train
$(VENV)/.all: EXTRAS := dev,train,render,bench,notebooks
$(VENV)/.train $(VENV)/.all: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing nap-env[$(EXTRAS)] into $(VENV); the first time takes some minutes ..."
	@$(BIN)/python -m pip install -qq --disable-pip-version-check \
		-c constraints.txt $(PIP) -e ".[$(EXTRAS)]"
	@touch $@
