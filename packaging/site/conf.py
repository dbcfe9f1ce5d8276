"""The documentation as a site: make site writes it to packaging/site/public.

The pages are those of docs/, as GitHub shows them. Two things that GitHub does by itself are done here. A link to a file of the
repository outside of docs/ leads to GitHub; the test of the pages (internal/readme) checks that the file is there. And the
navigation is made of docs/README.md: each of its headings is a part, which has the pages of the list below it.

Sphinx writes its form for searches to search.html, over the page of that name, and calls that page so in the navigation. So the
form is find.html here, and the page has its title.

Nothing that the site shows may come from another host.
"""

import html.parser
import pathlib
import posixpath
import re

project = "miniserver"
author = "the miniserver authors"
copyright = author
root_doc = "README"
extensions = ["myst_parser", "sphinx_copybutton"]
myst_heading_anchors = 6
copybutton_prompt_text = "$ "

html_theme = "furo"
html_title = "miniserver"
html_copy_source = False
html_show_sphinx = False
html_use_index = False
html_additional_pages = {"find": "search.html"}
templates_path = ["templates"]
html_theme_options = {
    "source_repository": "https://github.com/miniserver-go/miniserver/",
    "source_branch": "main",
    "source_directory": "docs/",
}

REPOSITORY = "https://github.com/miniserver-go/miniserver/blob/main/"
OUTSIDE = re.compile(r"\]\(((?:\.\./)+[^)\s]*)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
PAGE = re.compile(r"^- \[[^]]*\]\(([^:)#]+)\.md\)", re.MULTILINE)


def read(app, name, source):
    """Changes the links of a page that lead out of docs/, and adds the navigation to the first page."""
    folder = posixpath.join("docs", posixpath.dirname(name))

    def to_repository(match):
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        return match[0] if path.startswith("docs/") else f"]({REPOSITORY}{path})"

    parts = FENCE.split(source[0])
    parts[::2] = [OUTSIDE.sub(to_repository, part) for part in parts[::2]]
    source[0] = "".join(parts)
    if name == root_doc:
        source[0] += "".join(navigation(source[0]))


def navigation(index):
    for part in index.split("\n## ")[1:]:
        title, _, rest = part.partition("\n")
        if pages := PAGE.findall(rest):
            yield "\n\n```{toctree}\n:hidden:\n:caption: " + title + "\n\n" + "\n".join("Search <search>" if p == "search" else p for p in pages) + "\n```\n"


class Loads(html.parser.HTMLParser):
    """Finds what a page loads, which is not what it links to."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.found += filter(None, [attrs.get("src"), tag == "link" and attrs.get("href")])


def check(app, error):
    """Makes a page that loads something from another host an error, and the first page that of the site."""
    if error:
        return
    site = pathlib.Path(app.outdir)
    (site / "index.html").write_text((site / f"{root_doc}.html").read_text())
    foreign = [f"{page.relative_to(site)} loads {loads}"
               for page in site.rglob("*.html") for loads in Loads(page.read_text()).found
               if re.match(r"(https?:)?//", loads)]
    foreign += [f"{style.relative_to(site)} loads from another host"
                for style in site.rglob("*.css") if re.search(r"(url\(|@import )['\"]?(https?:)?//", style.read_text())]
    if foreign:
        raise SystemExit("\n".join(foreign))


def keep_search_page(app):
    """Has Sphinx write find.html, and no search.html after the page of that name."""
    builder = app.builder
    write = builder.gen_additional_pages

    def write_others():
        builder.search = False
        write()
        builder.search = True

    builder.gen_additional_pages = write_others


def setup(app):
    app.connect("builder-inited", keep_search_page)
    app.connect("source-read", read)
    app.connect("build-finished", check)
