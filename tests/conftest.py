"""What holds for every test: no settings or keys of the person who runs them, and no deadline on a busy machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# a property holds or it does not; how long one example took says more about the machine, and the same commit gets the
# same examples, so that a check which was green stays green (HYPOTHESIS_PROFILE=search looks for new ones)
settings.register_profile("toolwire", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "toolwire"))

SETTINGS = ("TOOLWIRE_", "OPENAI_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "XDG_")
"""Beginnings of the names of variables that change what toolwire does or how its reports look."""


@pytest.fixture(scope="session")
def state_directory(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the folder that stands for the user's state directory."""
    return str(tmp_path_factory.mktemp("state"))


@pytest.fixture(autouse=True)
def _settings_of_nobody(state_directory: str) -> Iterator[None]:
    """Run each test as somebody who has set nothing, and who keeps runs where they do no harm."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(SETTINGS):
            del os.environ[name]
    os.environ["TOOLWIRE_STATE_DIR"] = state_directory
    yield
    os.environ.clear()
    os.environ.update(before)
