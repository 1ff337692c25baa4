# The public names, each once: type checkers read this file, and __init__.py imports what it names at first use.
from truerank.analysis.agreement import Agreement as Agreement
from truerank.analysis.agreement import Agreements as Agreements
from truerank.analysis.agreement import agreement as agreement
from truerank.analysis.agreement import agreements as agreements
from truerank.analysis.bounds import Bounds as Bounds
from truerank.analysis.bounds import bounds as bounds
from truerank.analysis.bounds import judge_next as judge_next
from truerank.analysis.check import Check as Check
from truerank.analysis.check import Watch as Watch
from truerank.analysis.check import check as check
from truerank.analysis.claims import Power as Power
from truerank.analysis.claims import TableAudit as TableAudit
from truerank.analysis.claims import audit_table as audit_table
from truerank.analysis.claims import power as power
from truerank.analysis.clicks import Interleaving as Interleaving
from truerank.analysis.clicks import Ips as Ips
from truerank.analysis.clicks import interleaving as interleaving
from truerank.analysis.clicks import ips as ips
from truerank.analysis.collections import Collections as Collections
from truerank.analysis.collections import collections as collections
from truerank.analysis.compare import Comparison as Comparison
from truerank.analysis.compare import compare as compare
from truerank.analysis.compare.prediction_powered import Predicted as Predicted
from truerank.analysis.compare.prediction_powered import predicted as predicted
from truerank.analysis.experiment import Experiment as Experiment
from truerank.analysis.experiment import experiment as experiment
from truerank.analysis.explain import Explanation as Explanation
from truerank.analysis.explain import diff as diff
from truerank.analysis.explain import explain as explain
from truerank.analysis.judges import Judges as Judges
from truerank.analysis.judges import judges as judges
from truerank.core.errors import InputError as InputError
from truerank.core.errors import MeasureError as MeasureError
from truerank.core.errors import MissingPackage as MissingPackage
from truerank.core.errors import RulesError as RulesError
from truerank.core.errors import TruerankError as TruerankError
from truerank.core.evaluate import evaluate as evaluate
from truerank.core.evaluate import rank as rank
from truerank.core.hits import Hits as Hits
from truerank.core.ledger import Ledger as Ledger
from truerank.core.merge import merge as merge
from truerank.core.merge.counts import RankCounts as RankCounts
from truerank.core.merge.counts import count_ranks as count_ranks
from truerank.core.merge.scattered import Scattered as Scattered
from truerank.core.merge.scattered import read_together as read_together
from truerank.core.merge.scattered import scattered as scattered
from truerank.core.qrels import Qrels as Qrels
from truerank.core.qrels import QrelsLike as QrelsLike
from truerank.core.reading import Reading as Reading
from truerank.core.reading import read as read
from truerank.core.rules import Rules as Rules
from truerank.core.rules import RulesLike as RulesLike
from truerank.core.run import Run as Run
from truerank.core.run import RunLike as RunLike
from truerank.core.scores import Scores as Scores
from truerank.formats import open_run as open_run
from truerank.formats import read_qrels as read_qrels
from truerank.fusion import TunedFusion as TunedFusion
from truerank.fusion import fuse as fuse
from truerank.fusion import tune_fusion as tune_fusion
from truerank.interop import spark as spark
from truerank.live import Bench as Bench
from truerank.live import alternate as alternate
from truerank.live import bench as bench
from truerank.live import sweep as sweep
from truerank.measures import Measure as Measure
from truerank.measures import MeasuresLike as MeasuresLike
from truerank.measures import measure as measure
from truerank.measures import measures as measures
from truerank.measures import parse_measure as parse_measure
from truerank.measures import unregister as unregister
from truerank.present.build import write_report as write_report
from truerank.truth.collapsing import collapse as collapse

__version__: str

# The measures as values, tr.nDCG @ 10: docs/generate.py writes them anew.
# ruff: noqa: N816
AP: Measure
AP11: Measure
AP_IA: Measure
APatR: Measure
ARP: Measure
AUPRC: Measure
AUROC: Measure
AWRF: Measure
Accuracy: Measure
BPM: Measure
Bpref: Measure
CallRecall: Measure
Chain: Measure
Compat: Measure
Complete: Measure
Coverage: Measure
DCG: Measure
D_nDCG: Measure
Dsharp_nDCG: Measure
EC: Measure
ED: Measure
ERR: Measure
ERR_IA: Measure
ETC: Measure
ETU: Measure
Entropy: Measure
EvidenceIoU: Measure
EvidencePrecision: Measure
EvidenceRecall: Measure
Exposure: Measure
F: Measure
FallOut: Measure
FirstComplete: Measure
FirstRank: Measure
G: Measure
GAP: Measure
GMAP: Measure
GMBpref: Measure
Gini: Measure
IDCG: Measure
ILD: Measure
INSQ: Measure
INST: Measure
IPrec: Measure
Judged: Measure
MCC: Measure
MeanRank: Measure
NCRR: Measure
NCU: Measure
NERR10: Measure
NERR11: Measure
NERR8: Measure
NERR9: Measure
NRBP: Measure
Novelty: Measure
NuggetRecall: Measure
NumNonrelJudgedRet: Measure
NumQ: Measure
NumRel: Measure
NumRelRet: Measure
NumRet: Measure
O: Measure
P: Measure
PFound: Measure
PMeasure: Measure
PSP: Measure
PSnDCG: Measure
P_IA: Measure
Pkq: Measure
Popularity: Measure
Pplus: Measure
Prefs: Measure
Q: Measure
R: Measure
RBP: Measure
RBPResidual: Measure
RR: Measure
ResEC: Measure
ResED: Measure
ResETC: Measure
ResETU: Measure
ResEU: Measure
Rndcg: Measure
Rprec: Measure
RprecMult: Measure
SDCG: Measure
Serendipity: Measure
SessionDCG: Measure
SetAP: Measure
SetF: Measure
SetP: Measure
SetR: Measure
SetRelP: Measure
SetSuccess: Measure
StRecall: Measure
Success: Measure
TBG: Measure
TPIR: Measure
TPR: Measure
U: Measure
Unjudged: Measure
Utility: Measure
YAAP: Measure
alpha_DCG: Measure
alpha_nDCG: Measure
binG: Measure
iRBU: Measure
infAP: Measure
infNDCG: Measure
infP: Measure
mINP: Measure
microAP: Measure
nAUC: Measure
nDCG: Measure
nDCG_IA: Measure
nDCGrel: Measure
nERR: Measure
nERR_IA: Measure
nNRBP: Measure
nSessionDCG: Measure
xinfAP: Measure
