"""Takes links to files that are no pages of docs/, and gives the site pages of these files.

A page is read in a checkout, where `../README.md` is a file, and in the site, which is made of docs/ alone. So that one
link serves both, each file of the repository that a page names gets a page of its own under `repository/`: Markdown as
it is, anything else as a block of code. What these pages name gets pages, too. A link to nowhere is a warning, which
`--strict` makes an error; anchors are checked by MkDocs itself.
"""

import logging
import re
from pathlib import Path
from posixpath import dirname, normpath, relpath

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
DOCS = "docs/"
ELSEWHERE = "repository/"
LANGUAGES = {".proto": "protobuf", ".yaml": "yaml", ".java": "java", ".sh": "bash", ".txt": "text", "": "text"}

# [text](target#anchor), but not an image.
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
OF_THE_WEB = re.compile(r"[a-z]+:")

log = logging.getLogger("mkdocs.hooks.repository_links")


def on_files(files, config):
    """Adds a page for each other file that can be reached by links."""
    waiting = [DOCS + page.src_uri for page in files.documentation_pages()]
    known = set(waiting)
    while waiting:
        path = waiting.pop()
        for link in LINK.finditer(markdown_of(path)):
            target = target_of(path, link[2])
            if target is None or target in known or not (ROOT / target).is_file():
                continue
            known.add(target)
            waiting.append(target)
            files.append(File.generated(config, page_of(target), content=markdown_of(target)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Lets each link lead to the page of its target."""
    path = path_of(page.file.src_uri)

    def rewrite(link):
        text, written, anchor = link[1], link[2], link[3] or ""
        target = target_of(path, written)
        if target is None:
            return link[0]
        if (ROOT / target).is_dir():
            return text  # there is nothing to show of a folder
        if not (ROOT / target).is_file():
            log.warning("%s links to %s, which does not exist", path, written)
            return text
        return f"[{text}]({relpath(page_of(target), dirname(page.file.src_uri))}{anchor})"

    return LINK.sub(rewrite, markdown) if path.endswith(".md") else markdown


def target_of(path, link):
    """Where a link of the file at a path leads in the repository; None if it leaves it."""
    if OF_THE_WEB.match(link):
        return None
    target = normpath(f"{dirname(path)}/{link}" if dirname(path) else link)
    readme = f"{target}/README.md"
    return readme if (ROOT / readme).is_file() else target


def page_of(path):
    """The page, in the site's sources, of a file of the repository."""
    if path.startswith(DOCS) and path.endswith(".md"):
        return path.removeprefix(DOCS)
    return ELSEWHERE + (path if path.endswith(".md") else path + ".md")


def path_of(page):
    """The file of the repository that a page, in the site's sources, shows."""
    if not page.startswith(ELSEWHERE):
        return DOCS + page
    path = page.removeprefix(ELSEWHERE)
    return path if (ROOT / path).is_file() else path.removesuffix(".md")


def markdown_of(path):
    """A file of the repository as Markdown."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"---\nsearch:\n  exclude: true\n---\n# {path}\n\n````{language}\n{text}\n````\n"
