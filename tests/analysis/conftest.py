# SPDX-License-Identifier: GPL-2.0-only
"""The published results, and changed copies of them."""
from __future__ import annotations

import copy
import json
import pathlib
import random
import sys
import tarfile
from collections.abc import Callable
from typing import Any

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from goldens import PUBLISHED


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The published sweep as a directory of results."""
    path = tmp_path_factory.mktemp("published")
    with tarfile.open(PUBLISHED) as archive:
        # By 3.9.17 and later, which warn (3.12) without one; extractall() of 3.9.16 knows no filter.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(path)
    return path


@pytest.fixture(scope="session")
def documents(published: pathlib.Path) -> dict[str, Any]:
    """Those of the published sweep, without histograms and stacks: short ones for changes."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(member) for key, member in value.items()
                    if not isinstance(member, list) or key == "runs"}
        return [short(member) for member in value] if isinstance(value, list) else value

    return {path.name: short(json.loads(path.read_text())) for path in sorted((published / "cells").glob("*.json"))}


def scale(value: Any, factor: Callable[[], float]) -> Any:
    """Every number of a document by a factor of its own; whole numbers stay whole."""
    if isinstance(value, dict):
        return {key: scale(member, factor) for key, member in value.items()}
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return int(value * factor()) if isinstance(value, int) else value * factor()


@pytest.fixture
def changed(documents: dict[str, Any], tmp_path: pathlib.Path) -> Callable[..., pathlib.Path]:
    """A copy: the numbers of each run are scaled at random around a factor; edit() may change or drop a document."""

    def make(name: str, seed: int, centre: float = 1.0, noise: float = 0.0,
             edit: Callable[[dict[str, Any], str], bool] = lambda document, name: True) -> pathlib.Path:
        rng = random.Random(seed)
        (tmp_path / name / "cells").mkdir(parents=True)
        for file, original in documents.items():
            document = copy.deepcopy(original)
            for run in document["runs"]:
                for key in ("app", "ledger", "cpu", "perf", "path_ns"):
                    run[key] = scale(run[key], lambda: centre * rng.lognormvariate(0, noise))
            if edit(document, file):
                (tmp_path / name / "cells" / file).write_text(json.dumps(document))
        return tmp_path / name

    return make
