"""Lets MkDocs build the pages where they are: at the root, in docs, in sharding and beside modules.

A link to a file that is no page of the site leads to the repository.
"""
import re
from pathlib import Path
from posixpath import dirname, join, normpath

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent

PAGES = ("*.md", "docs/*.md", "docs/pictures/*", "docs/screenshots/*", "sharding/*.md", "sharding/docs/*.md", "extensions/*/README.md")

LINK = re.compile(r"\]\(([^)\s:#]+)((?:#[^)\s]*)?)\)")

FENCED = re.compile(r"(?ms)(^```.*?^```$)")


def on_config(config):
    config["repo_url"] = re.search("<owner.repository>(.+)</", (ROOT / "pom.xml").read_text())[1]
    return config


def on_files(files, config):
    for file in [file for file in files if Path(file.abs_src_path).is_relative_to(ROOT)]:
        files.remove(file)
    for page in sorted(page for pattern in PAGES for page in ROOT.glob(pattern)):
        files.append(File(str(page.relative_to(ROOT)), str(ROOT), config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    def link(match):
        target = normpath(join(dirname(page.file.src_uri), match[1]))
        if files.get_file_from_path(target) or not (ROOT / target).exists():
            return match[0]
        return "](%s/blob/main/%s%s)" % (config["repo_url"], target, match[2])

    def prose(text):
        # Python-Markdown reads a comment and the table below it as one block of HTML.
        return LINK.sub(link, re.sub(r"(?m)^<!-- .* -->\n+", "\n", text))

    return "".join(part if part.startswith("```") else prose(part) for part in FENCED.split(markdown))
