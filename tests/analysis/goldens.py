# SPDX-License-Identifier: GPL-2.0-only
"""Texts that must not change without being read, in golden/; digests of others, in golden/digests.json.

UPDATE_GOLDEN=1 python3 -m pytest tests/analysis writes them anew: read the difference. A digest shows none: compare the
output of the old package with that of the new one.
"""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import pathlib

REPO = pathlib.Path(__file__).parents[2]
PUBLISHED = REPO / "docs/results/2026-11-linux-6.18-vm/cells.tar.xz"
_DIRECTORY = pathlib.Path(__file__).parent / "golden"
_DIGESTS = _DIRECTORY / "digests.json"
_UPDATE = os.environ.get("UPDATE_GOLDEN")


def check(name: str, text: str) -> None:
    """A whole text."""
    path = _DIRECTORY / name
    if _UPDATE:
        path.write_text(text)
    assert text == path.read_text(), f"{path}: UPDATE_GOLDEN=1 rewrites it"


def check_digest(name: str, data: bytes) -> None:
    """Of a text that is too long to keep."""
    digest = hashlib.sha256(data).hexdigest()[:32]
    with _DIGESTS.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX if _UPDATE else fcntl.LOCK_SH)  # pytest -n has several processes
        digests = json.load(file)
        if _UPDATE and digests.get(name) != digest:
            digests[name] = digest
            file.seek(0)
            file.write(json.dumps(digests, indent=0, sort_keys=True) + "\n")
            file.truncate()
    assert digest == digests.get(name), f"{name}: UPDATE_GOLDEN=1 rewrites its digest"
