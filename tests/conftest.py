"""No test reads or writes the cache of the person who runs it."""

import pytest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path_factory, monkeypatch):
    """A cache of its own for each test, also for the processes that it starts."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("MMCODEMOD_CACHE_DIR", str(folder))
    monkeypatch.delenv("MMCODEMOD_NO_CACHE", raising=False)
    return folder
