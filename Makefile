# Two commands do everything on a fresh machine: `make demo` and `make test`. Python 3.11, pip and make are enough;
# as root with apt the test servers are installed too, otherwise what could not be set up is said plainly.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
BENCH_VENV := .venv-bench
BENCH_STAMP := $(BENCH_VENV)/.ready
OUTSIDE_VENV := .venv-outside
DATA ?= ../shared/data

.PHONY: postgres demo coverage test check lint types unit fix docs bench bench-full bench-safety integrations dist try fuzz-http sanitize postulates interruptions clean setup

setup: $(STAMP)

$(STAMP): pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh $(PYTHON) $(VENV)
	@touch $(STAMP)

demo: $(STAMP)
	@$(BIN)/palazzo demo

test: $(STAMP) lint types unit

lint: $(STAMP)
	@$(BIN)/ruff check src tests bench
	@$(BIN)/ruff format --check src tests bench

types: $(STAMP)
	@$(BIN)/mypy

# What starts browsers, shells and servers may stumble over a busy machine: it is tried once more and named at the end;
# tests/conftest.py fails the run where more than three needed it.
unit: $(STAMP)
	@$(BIN)/python -m pytest -q -n 2 -raR --reruns 1

# Which lines no test reaches; takes half as long again.
coverage: $(STAMP)
	@$(BIN)/python -m pytest -q -n 2 --cov --cov-report=term:skip-covered

fix: $(STAMP)
	@$(BIN)/ruff check --fix src tests bench
	@$(BIN)/ruff format src tests bench

docs: $(STAMP)
	@$(BIN)/python -m scripts.docs
	@$(BIN)/python -m scripts.site

# Peers are dependencies of the comparison alone, so they live in an environment of their own.
$(BENCH_STAMP): pyproject.toml scripts/setup.sh
	@sh scripts/setup.sh $(PYTHON) $(BENCH_VENV)
	@$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --group peers \
	  || echo "note: the peers could not be installed; the rows of those that are missing will say so"
	@touch $(BENCH_STAMP)

bench: $(BENCH_STAMP)
	@$(BENCH_VENV)/bin/python -m bench.everything --data $(DATA)

bench-full: $(BENCH_STAMP)
	@$(BENCH_VENV)/bin/python -m bench.everything --data $(DATA) --full

bench-safety: $(STAMP)
	@$(BIN)/python -m bench.safety --processes 8 --seconds 180 --json
	@$(BIN)/python -m bench.safety --processes 8 --seconds 180 --encrypted --json

# The wheel, the source package and the bill of materials, in dist.
dist: $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	@rm -rf dist && $(BIN)/python -m build --outdir dist . > /dev/null
	@$(BIN)/python -m scripts.sbom dist/sbom.json
	@ls -l dist

# The wheel as people install it: pip, uv, pipx, each into an empty place; needs the package index.
try: dist
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group packaging
	@$(BIN)/python -m scripts.try_wheel

# Every framework with its real package, and the suites their makers wrote, in environments of their own; needs the
# package index. One of them: make integrations NAME=crewai.
integrations:
	@$(PYTHON) -m scripts.frameworks $(NAME)

# Every law of belief revision over generated cases, pure and over the real store: ten times those of an ordinary run.
postulates: $(STAMP)
	@$(BIN)/python -m pytest -q -n 2 tests/belief/test_revision.py tests/belief/test_postulates_in_the_palace.py \
	    --hypothesis-profile=thorough --hypothesis-show-statistics

# Every long operation, killed and without power at every single file event: some ten minutes.
interruptions: $(STAMP)
	@$(BIN)/python -m pytest -q tests/recovery --every-event

# The compiled kernel under the address and undefined-behaviour sanitizers, fuzzed against numpy; then built as usual.
sanitize: $(STAMP)
	@$(BIN)/python hatch_build.py -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
	@LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	    $(BIN)/python -m pytest -q -p no:randomly tests/kernel; found=$$?; $(BIN)/python hatch_build.py; exit $$found

fuzz-http: $(STAMP)
	@$(BIN)/python -m scripts.fuzz_http

clean:
	rm -rf site build $(VENV) $(BENCH_VENV) $(OUTSIDE_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov

# The contract, the laws of the engine and its surfaces over PostgreSQL alone.
postgres: $(STAMP)
	@$(BIN)/python -m pytest -q tests/store/test_postgres.py tests/surfaces/test_postgres.py
	@$(BIN)/python -m pytest -q --every-engine tests/contract -k postgres
	@$(BIN)/python -m pytest -q --every-engine tests/behaviour tests/surfaces/test_parity.py -k server
