#!/usr/bin/env bash
# Makes the site of docs/ in target/site. A link that leads nowhere, and anything else that MkDocs warns of, is an error.
# Needs Python 3.11.5 or newer; what docs/requirements.txt names is installed below target/ for each content of that file.
# Exit status 3: this Python cannot make the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11, 5))'; then
  echo "site.sh: Python 3.11.5 or newer with its module venv is needed (on some systems the package python3-venv)" >&2
  exit 3
fi

python=target/site-python
installed=$python/requirements.txt
if ! cmp -s docs/requirements.txt "$installed"; then
  rm -rf "$python"
  python3 -m venv "$python"
  # Without dependencies: the file names them all. What is imported is compiled then.
  "$python/bin/pip" --quiet --disable-pip-version-check install --no-deps --no-compile --requirement docs/requirements.txt
  cp docs/requirements.txt "$installed"
fi

# Not --quiet, which silences warnings and so keeps --strict from counting them. The variable silences an announcement
# about the future of MkDocs.
NO_MKDOCS_2_WARNING=1 "$python/bin/mkdocs" build --strict
echo "The site is in target/site: open index.html there, or serve the folder, for search."
