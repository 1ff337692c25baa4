"""Fusion: one run out of several, and weights that are tuned on other queries than those that are reported."""

from truerank.fusion import learnt as learnt
from truerank.fusion import ranks as ranks
from truerank.fusion import scores as scores
from truerank.fusion.fusing import fuse as fuse
from truerank.fusion.registry import methods as methods
from truerank.fusion.tuned import TunedFusion as TunedFusion
from truerank.fusion.tuned import tune_fusion as tune_fusion
