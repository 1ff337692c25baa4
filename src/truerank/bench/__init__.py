"""Benchmarks of live retrievers: how good the answers are and how long they take, from the same calls."""

from truerank.bench.clock import SimulatedClock
from truerank.bench.paired import compare, interleave
from truerank.bench.result import Bench
from truerank.bench.running import bench
from truerank.bench.sweep import front, sweep

__all__ = ["Bench", "SimulatedClock", "bench", "compare", "front", "interleave", "sweep"]
