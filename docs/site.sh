#!/usr/bin/env bash
# Makes the site of docs/ in target/site. A link that leads nowhere, and anything else that MkDocs warns of, is an error.
# Needs Python 3.11.5 or newer; python/environment.py installs what docs/requirements.txt names.
# Exit status 3: this Python cannot make the environment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))'; then
  echo "site.sh: Python 3.11.5 or newer is needed" >&2
  exit 3
fi
python=$(python3 python/environment.py docs/requirements.txt)

# Not --quiet, which silences warnings and so keeps --strict from counting them. The variable silences an announcement
# about the future of MkDocs.
NO_MKDOCS_2_WARNING=1 "$python/bin/mkdocs" build --strict
echo "The site is in target/site: open index.html there, or serve the folder, for search."
