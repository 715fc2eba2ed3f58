# Two commands do everything on a fresh machine: `make demo` and `make test`. Python 3.11, pip and make are enough;
# as root with apt the test servers are installed too, otherwise what could not be set up is said plainly.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: demo test check lint types unit fix docs bench bench-safety clean setup

setup: $(STAMP)

$(STAMP): pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh $(PYTHON) $(VENV)
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/mnemon demo

test: $(STAMP) lint types unit

lint: $(STAMP)
	@$(BIN)/ruff check src tests bench
	@$(BIN)/ruff format --check src tests bench

types: $(STAMP)
	@$(BIN)/mypy

unit: $(STAMP)
	@$(BIN)/python -m pytest -q -n 2 --cov --cov-report=term:skip-covered

fix: $(STAMP)
	@$(BIN)/ruff check --fix src tests bench
	@$(BIN)/ruff format src tests bench

docs: $(STAMP)
	@$(BIN)/python -m scripts.docs

bench: $(STAMP)
	@$(BIN)/python -m bench.writes --memories 20000 --json
	@$(BIN)/python -m bench.latency --memories 100000 --json

bench-safety: $(STAMP)
	@$(BIN)/python -m bench.safety --processes 8 --seconds 180 --json
	@$(BIN)/python -m bench.safety --processes 8 --seconds 180 --encrypted --json

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov
