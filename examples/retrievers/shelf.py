"""Five texts, three queries and what is right: what the scripts beside this one benchmark on."""

TEXTS = {
    "sencha": "steamed green tea from Japan",
    "oolong": "half oxidised tea from Taiwan",
    "espresso": "strong coffee pressed through a fine sieve",
    "sourdough": "bread leavened with a wild culture",
    "baguette": "long thin bread with a crisp crust",
}
QUERIES = {"q1": "taiwan tea", "q2": "strong coffee", "q3": "crisp bread"}
QRELS = {"q1": {"oolong": 2, "sencha": 1}, "q2": {"espresso": 2}, "q3": {"baguette": 2, "sourdough": 1}}


def words(text: str) -> list[float]:
    """A text as numbers without any model: how often each word of the shelf is in it."""
    known = sorted({word for one in TEXTS.values() for word in one.split()})
    return [float(text.split().count(word)) for word in known]


def show(found) -> None:
    """The figures of a benchmark in one line."""
    means = ", ".join(f"{measure} {mean:.3f}" for measure, mean in found.scores.mean.items())
    print(f"{found.name}: {means}; p50 {found.latency['p50']:.3f} ms of {len(found.measured)} calls")
    print(f"  {found.describe['k']}; ids: {found.describe['ids']}")
