"""Benchmarks of live retrievers: how good the answers are and how long they take, from the same calls."""

from truerank.live.clock import SimulatedClock
from truerank.live.paired import alternate, compare
from truerank.live.result import Bench
from truerank.live.running import bench
from truerank.live.sweep import front, sweep

__all__ = ["Bench", "SimulatedClock", "alternate", "bench", "compare", "front", "sweep"]
