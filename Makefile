# Two commands do everything on a fresh machine: `make quickstart` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PAGE := src/deepaveragers/studio/page/index.html
PAGE_SOURCES := $(shell find studio -type f -not -path '*/node_modules/*' 2>/dev/null)

.PHONY: quickstart test test-quick lint types format docs docs-serve check clean studio studio-page studio-pictures wheel release
.PHONY: bench-neighbors bench-planner bench-policies study-cartpole study-navigation

quickstart: $(VENV)/.core
	$(BIN)/dac quickstart

# The page's arithmetic first, then everything else, real browsers too.
test: $(VENV)/.dev studio/node_modules/.package-lock.json $(PAGE) $(VENV)/.browser
	npm --prefix studio run check
	npm --prefix studio test
	$(BIN)/python -m pytest -n 2

# Leaves out what is marked slow: under a minute on two idle cores, once the kernels are compiled.
test-quick: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site, built strictly into site/; docs-serve shows it while it is written.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

docs-serve: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

check: test lint types docs

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing (once)..."
	$(PIP) install -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing with what the tests need (once)..."
	$(PIP) install -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.core

# The studio on a CartPole model: installs, makes the model, builds the page, opens it.
MODEL := runs/studio/cartpole

studio: $(VENV)/.studio $(PAGE) $(MODEL)/manifest.json
	$(BIN)/dac studio $(MODEL) $(ARGS)

studio-page: $(PAGE)

# Source archive and wheel, with the page and the types inside, checked, and not too large.
LARGEST_WHEEL := 3000000
wheel: $(VENV)/.release $(PAGE)
	rm -rf dist
	DEEPAVERAGERS_PAGE=required $(BIN)/python -m build --no-isolation --outdir dist . > /dev/null
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m zipfile -l dist/*.whl | grep studio/page/index.html > /dev/null
	$(BIN)/python -m zipfile -l dist/*.whl | grep deepaveragers/py.typed > /dev/null
	test $$(cat dist/*.whl | wc -c) -lt $(LARGEST_WHEEL)

# What a user gets: the wheel in an empty environment, which has to pass the quickstart.
release: wheel
	rm -rf .venv-release
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt dist/*.whl
	cd .venv-release && bin/dac quickstart

$(PAGE): $(PAGE_SOURCES) | studio/node_modules/.package-lock.json
	npm --prefix studio run build
	@touch $@

studio/node_modules/.package-lock.json: studio/package-lock.json
	npm --prefix studio ci --no-audit --no-fund
	@touch $@

# The browser of the page's tests: Debian's if one may install it, otherwise Playwright's own.
$(VENV)/.browser: | $(VENV)/.dev
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core > /dev/null; \
	else $(BIN)/playwright install chromium; fi
	@touch $@

# Pictures of the studio for the docs, made by the story that the tests tell.
studio-pictures: $(VENV)/.dev $(PAGE) $(VENV)/.browser
	$(BIN)/python -m tests.studio.browser.screenshots docs/images

$(MODEL)/manifest.json: | $(VENV)/.studio
	$(BIN)/python -m benchmarks.studio.models cartpole $(MODEL)

# Benchmarks and studies take minutes to hours; each prints what it does. ARGS=--quick for a look.
bench-neighbors: $(VENV)/.bench
	$(BIN)/python -m benchmarks.neighbors $(ARGS)

bench-planner: $(VENV)/.bench
	$(BIN)/python -m benchmarks.planner --report $(ARGS)

# d3rlpy, the peer, gets an environment of its own.
bench-policies: $(VENV)/.bench .venv-d3rlpy/bin/python
	$(BIN)/python -m benchmarks.policies $(ARGS)

.venv-d3rlpy/bin/python: | $(VENV)/.bench
	$(BIN)/python -m benchmarks.policies --prepare

study-cartpole: $(VENV)/.study
	$(BIN)/python -m experiments.cartpole $(ARGS)

# Rendering without a screen needs Debian's libegl1 libgl1 libglu1-mesa libegl-mesa0 libgl1-mesa-dri.
study-navigation: $(VENV)/.navigation
	$(BIN)/python -m experiments.navigation $(ARGS)

$(VENV)/.bench $(VENV)/.study $(VENV)/.navigation $(VENV)/.docs $(VENV)/.studio $(VENV)/.release: $(VENV)/.%: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what '$*' needs (once)..."
	$(PIP) install -c constraints.txt -e '.[$*]'
	@touch $@ $(VENV)/.core

clean:
	rm -rf $(VENV) .venv-release dist site .pytest_cache .mypy_cache .ruff_cache .hypothesis quickstart
