"""Checks the links of a built site: `links.py DIR`. What a page links to is a file there, or an address of the project or elsewhere.

Links of the documentation to source files become addresses of the project: the site has no sources.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

SOURCE = "https://github.com/selfplay/selfplay/blob/main/"


def main(site: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    broken = []
    pages = [page for page in site.rglob("*.html") if site / "api" not in page.parents]
    for page in pages:
        text = page.read_text()

        def resolved(link: re.Match[str]) -> str:
            address, _, anchor = link[2].partition("#")
            if re.match(r"[a-z]+:|//", address) or link[2].startswith("#"):
                return link[0]
            target = (page.parent / unquote(address)).resolve()
            if target.is_file() or (target / "index.html").is_file():
                return link[0]
            name = target.relative_to(site) if target.is_relative_to(site) else None
            # A page of its own name, for what is not part of the book.
            source = next((s for s in (name, name and name.with_suffix(".md")) if s and (root / s).exists()), None)
            if source is None:
                broken.append(f"{page.relative_to(site)}: {link[2]}")
                return link[0]
            return f'{link[1]}"{SOURCE}{source.as_posix()}{"#" + anchor if anchor else ""}"'

        page.write_text(re.sub(r'(?<!<base )((?:href|src)=)"([^"]+)"', resolved, text))
    if not pages:
        sys.exit(f"{site} has no pages")
    if broken:
        sys.exit("links that lead nowhere:\n" + "\n".join(broken))
    print(f"{len(pages)} pages, no link that leads nowhere")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
