"""Downloads the files of sources.json that are on Python's index: `fetch_index.py SOURCES OUTPUT`.

$INDEX_URL is the index, by the simple repository API (PEP 503, PEP 691). pip would run the build of what it downloads
as a source: here nothing is run. What arrives is what was pinned, or this fails.
"""

import hashlib
import json
import os
import pathlib
import re
import sys
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 60
ACCEPTED = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"


def get(url, accept="*/*"):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        return response.read(), response.headers.get_content_type(), response.url


def links(index, project):
    """The URLs of a project's files, by their names."""
    body, kind, base = get(f"{index.rstrip('/')}/{project}/", ACCEPTED)
    if kind.endswith("json"):
        urls = [entry["url"] for entry in json.loads(body)["files"]]
    else:
        urls = re.findall(r'href="([^"]+)"', body.decode())
    absolute = [urllib.parse.urldefrag(urllib.parse.urljoin(base, url)).url for url in urls]
    return {urllib.parse.unquote(url.rpartition("/")[2]): url for url in absolute}


def project_of(file):
    """The normalised name of the project that a file belongs to."""
    return re.sub(r"[-_.]+", "-", re.match(r"(.+?)-\d", file)[1]).lower()


def main(sources, output):
    for entry in json.loads(pathlib.Path(sources).read_text())["index"]:
        file = entry["file"]
        url = links(os.environ["INDEX_URL"], project_of(file)).get(file)
        if url is None:
            sys.exit(f"error: the index has no {file}")
        content, _, _ = get(url)
        digest = hashlib.sha256(content).hexdigest()
        if digest != entry["sha256"]:
            sys.exit(f"error: {file} has the SHA-256 {digest}, and {entry['sha256']} is pinned")
        pathlib.Path(output, file).write_bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
