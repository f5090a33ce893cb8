# `make demo` and `make test` do all set-up by themselves: Python 3.11 or later with venv, and make, are enough.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --no-input --disable-pip-version-check

# Blender as a Python module, for test-blender; each of its releases works with one Python only.
BLENDER := .venv-blender
BPY ?= bpy==5.0.1
BPY_PYTHON ?= python3.11

# One thread each: the matrices are small, and runs must not depend on the number of cores.
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export OMP_NUM_THREADS := 1

.NOTPARALLEL:
.PHONY: help demo test fuzz test-blender test-browser soak lint docs bench motions pictures clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r a b; do printf '%-20s %s\n' "$$a" "$$b"; done

demo: $(VENV)/run.stamp ## simulate a rag doll that tumbles down stairs, and say where the files are
	$(BIN)/poise perform fall --body human37 --controller limp --terrain stairs:0.18:0.3:8 --seconds 5 --out demo-output
	@echo "To watch it, open $(CURDIR)/demo-output/page.html in a browser."

test: lint docs ## everything that must hold: lint, format, types, docs without warnings, tests
	$(BIN)/python -m pytest -n auto

test-blender: $(VENV)/dev.stamp ## Blender itself opens what we write (fetches Blender as a Python module, 1 GB)
	@$(MAKE) -s $(BLENDER)/bpy.stamp || { rm -rf $(BLENDER); \
	  echo "$(BPY) cannot be installed here: it needs $(BPY_PYTHON), the network and 1 GB." >&2; }
	$(BIN)/python -m pytest -rs tests/blender

test-browser: $(VENV)/dev.stamp ## the studio in headless Chromium, as a person uses it (needs chromium)
	POISE_BROWSER=1 $(BIN)/python -m pytest -rs tests/browser

SECONDS ?= 60
fuzz: $(VENV)/dev.stamp ## damaged and hostile inputs for every reader and short form, for SECONDS=60 in all
	@$(PIP) atheris || echo "atheris cannot be installed here: inputs are random, not guided by coverage." >&2
	$(BIN)/python tests/fuzz/fuzz.py --seconds $(SECONDS)

MINUTES ?= 60
soak: $(VENV)/dev.stamp ## operate the studio at random for MINUTES, killing performers; memory must level out (Linux)
	$(BIN)/python tests/browser/soak.py --minutes $(MINUTES)

lint: $(VENV)/dev.stamp ## ruff, mypy and the declared imports
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports --cache-dir .import_linter_cache

docs: $(VENV)/dev.stamp ## the documentation, in docs/_build/html
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html

bench: $(VENV)/run.stamp ## speed of a step, as ratios to MuJoCo's own
	$(BIN)/poise bench

motions: $(VENV)/run.stamp ## make the references of the motions that come with Poise again, from their sources
	$(BIN)/poise motions build --body biped29 --out src/poise/library/shipped/biped29
	$(BIN)/poise motions build walk squat swing chin-up jump broad-jump lift turn-90 --body human42 --out src/poise/library/shipped/human42

pictures: $(VENV)/dev.stamp ## make the pictures and the printed output in README and documentation again
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python docs/make_strips.py
	$(BIN)/python docs/make_motions.py
	$(BIN)/python docs/make_scripts.py
	$(BIN)/python docs/make_behaviours.py
	$(BIN)/python docs/make_studio.py
	$(BIN)/python docs/rerun.py

clean: ## remove everything that was built
	rm -rf $(VENV) $(BLENDER) docs/_build demo-output .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests docs examples -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment, built anew when pyproject.toml changes.
$(VENV)/new.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "Poise needs Python 3.11 or later, which '$(PYTHON)' is not: try make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv module is missing: apt install python3-venv" >&2; exit 1; }
	@echo "Building the environment in $(VENV); this takes a minute or two."
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/run.stamp: $(VENV)/new.stamp
	@$(PIP) -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/new.stamp
	@$(PIP) -e '.[dev]'
	@touch $(VENV)/run.stamp $@

$(BLENDER)/bpy.stamp:
	@echo "Installing $(BPY) in $(BLENDER); this takes a minute or two."
	@$(BPY_PYTHON) -m venv --clear $(BLENDER)
	@$(BLENDER)/bin/python -m pip install -qq --no-input --disable-pip-version-check '$(BPY)'
	@$(BLENDER)/bin/python -c 'import bpy'
	@touch $@
