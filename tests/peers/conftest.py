"""What the tests of this folder share lies beside them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="session")
def _tools() -> Iterator[None]:
    from peer_asking import end

    yield
    end()
