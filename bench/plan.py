"""Every run the benchmarks page is made from: the name of its result and the commands that make it.

`words` is the bounded command (`make bench`, under half an hour in all), `full` the one the page is published with;
`{data}` stands for the folder of development data. Invariant: one run makes one file of bench/results/.

What times something short runs `alone`. The longest do not: growth tells CPU time beside the clock's, and sustained
load is one interpreter on two cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """One result: its file, its command, and the command at full size if that differs."""

    name: str
    words: str
    full: str = ""
    only_full: bool = False
    alone: bool = False
    """Whether nothing else may run beside it."""

    def command(self, full: bool) -> str:
        return (full and self.full) or self.words


LOCOMO = "--data {data}/locomo/locomo_dev.json"
MIND = "bench.mind --data {data}"

RUNS: tuple[Run, ...] = (
    Run("writes", "bench.writes --memories 20000", alone=True),
    Run("latency-10000", "bench.latency --memories 10000", alone=True),
    Run("latency-100000", "bench.latency --memories 100000", only_full=True, alone=True),
    Run("latency-1000000", "bench.latency --memories 1000000", only_full=True, alone=True),
    Run("growth", "bench.growth --sizes 1000 10000", "bench.growth --sizes 1000 10000 100000 1000000"),
    Run("stress", "bench.stress --minutes 1", "bench.stress --minutes 10"),
    Run("soak", "bench.stress --minutes 20", only_full=True),
    Run("isolation", "bench.isolation --memories 10000", "bench.isolation --memories 1000000"),
    Run("safety", "bench.safety --processes 8 --seconds 20", "bench.safety --processes 8 --seconds 180"),
    Run("safety-encrypted", "bench.safety --processes 8 --seconds 20 --encrypted",
        "bench.safety --processes 8 --seconds 180 --encrypted"),
    Run("writes-postgres", "bench.writes --engine postgres --memories 2000 --singles 60",
        "bench.writes --engine postgres --memories 1000 --singles 60", only_full=True, alone=True),
    Run("latency-postgres", "bench.latency --engine postgres --memories 1000000", only_full=True, alone=True),
    Run("copying-postgres", "bench.copying --engine postgres --memories 100000 --kills 2", only_full=True),
    Run("fence", "bench.fence --memories 100000 --readers 1000", only_full=True),
    Run("safety-postgres", "bench.safety --engine postgres --processes 8 --seconds 180", only_full=True),
    Run("security-overhead", "bench.security overhead --memories 10000 --questions 200",
        "bench.security overhead --memories 100000", alone=True),
    Run("security-tenants", "bench.security tenants --memories 10000 --readers 100",
        "bench.security tenants --memories 100000"),
    Run("security-timing", "bench.security timing --memories 2000 --questions 300",
        "bench.security timing --memories 20000 --questions 1000", alone=True),
    Run("server", "bench.server --memories 10000 --clients 50 --seconds 20 --warm-up 10",
        "bench.server --memories 100000 --clients 200 --seconds 60", alone=True),
    Run("server-workers", "bench.server --workers 2 --memories 20000 --clients 32 --seconds 40 --warm-up 40",
        only_full=True, alone=True),
    Run("intake-secrets", "bench.screen --data {data}"),
    Run("intake-dates", "bench.dates --data {data}"),
    Run("intake-screen", "bench.intake screen --data {data}"),
    Run("intake-duplicates", "bench.intake duplicates --data {data}"),
    Run("intake-supersession", "bench.intake supersession --data {data}"),
    Run("intake-junk", "bench.intake junk --data {data}"),
    Run("intake-speed", "bench.intake speed --data {data}", alone=True),
    Run("retrieval-locomo-builtin", f"bench.retrieval {LOCOMO}"),
    Run("retrieval-locomo-minilm", f"bench.retrieval {LOCOMO} --embedder minilm", only_full=True),
    Run("retrieval-locomo-none", f"bench.retrieval {LOCOMO} --embedder none"),
    Run("retrieval-beam-builtin", "bench.retrieval --data {data}/beam_100k --format beam"),
    Run("retrieval-plus-minilm",
        "bench.retrieval --data {data}/locomo_plus/locomo_plus_dev.json --format plus --embedder minilm",
        only_full=True),
    Run("retrieval-dev-builtin", "bench.retrieval --data {data}/devmembench/benchmark/src/dataset --format dev"),
    Run("ablation-locomo-builtin", f"bench.ablation {LOCOMO}", only_full=True),
    Run("ablation-cost-locomo-builtin", f"bench.ablation {LOCOMO} --questions 12", only_full=True, alone=True),
    *(
        Run(f"change-{name}", f"bench.change --data training/change/pairs/{name}.json")
        for name in (
            "develop", "develop-2", "develop-2-counted", "heldout", "heldout-2", "chains-develop", "chains-develop-2",
            "chains-develop-2-counted", "chains-heldout", "chains-heldout-2",
        )
    ),
    Run("everyday", "bench.everyday --data {data}/everyday/scenarios.json"),
    Run("injection", "bench.injection --data {data}"),
    Run("continuity", "bench.continuity"),
    *(Run(f"continuity-{name}", f"bench.continuity --words {name}") for name in ("plain", "typed")),
    Run("plan-stories", "bench.plan_stories"),
    *(Run(f"plan-{name}", f"bench.plan_stories --file {name}") for name in ("plain", "typed", "ends")),
    Run("work", "bench.work", alone=True),
    Run("hooks", "bench.hooks --memories 10000 --turns 10", "bench.hooks --memories 100000", alone=True),
    Run("capture", "bench.capture", alone=True),
    Run("updates-builtin", "bench.updates --data {data}"),
    Run("belief-contradiction", "bench.belief contradiction --data {data}"),
    Run("belief-staleness", "bench.belief staleness --data {data}"),
    Run("belief-why", "bench.belief why --memories 10000", "bench.belief why --memories 100000", alone=True),
    Run("mind-pace", "bench.pace --memories 10000", alone=True),
    Run("mind-year", "bench.pace --memories 10000 --exchanges 25000", only_full=True, alone=True),
    Run("mind-promised", "bench.promised", only_full=True),
    *(
        Run(f"mind-{name}", f"{MIND} --only {name} --conversations 3 --questions 60", only_full=True)
        for name in ("locomo", "beam", "devmembench")
    ),
    Run("mind-known", f"{MIND} --only locomo --conversations 5 --known", only_full=True),
    Run("mind-life", f"{MIND} --only life"),
    Run("mind-busy-life", f"{MIND} --only life --events 625", only_full=True),
    Run("compare-retrieval-builtin", f"bench.compare retrieval {LOCOMO} --questions 60",
        f"bench.compare retrieval {LOCOMO}", alone=True),
    Run("compare-retrieval-minilm", f"bench.compare retrieval {LOCOMO} --embedder minilm", only_full=True, alone=True),
    Run("compare-updates", "bench.compare updates --data {data} --questions 5", "bench.compare updates --data {data}"),
    Run("compare-kill", "bench.compare kill --kills 6", "bench.compare kill --kills 24 --seconds 60"),
    Run("compare-scale-3000", "bench.compare scale --memories 3000 --seconds 3",
        "bench.compare scale --memories 3000", alone=True),
    Run("compare-scale-10000", "bench.compare scale --memories 10000", only_full=True, alone=True),
    Run("compare-scale-100000", "bench.compare scale --memories 100000", only_full=True, alone=True),
)  # fmt: skip


def wanted(full: bool, only: Sequence[str]) -> list[Run]:
    """The runs to make, in order."""
    chosen = [run for run in RUNS if run.name in only] if only else list(RUNS)
    return [run for run in chosen if full or only or not run.only_full]
