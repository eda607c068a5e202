"""How far the judge agrees with a corpus of exchanges that carry right answers.

    python bench/corpus.py [--corpus FILE] [--protocol chat] [ID ...]

Prints each disagreement with the findings, then the shares of right classes and verdicts, and how many exchanges that
should pass were called failures. Exits 0 always: it measures, the tests judge.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from toolwire.exchange import decode_exchange
from toolwire.judge import Judgement, VerdictClass, judge
from toolwire.rules.catalogue import RULES

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "corpus" / "exchanges.jsonl"


def main() -> None:
    """Judge the corpus and print the agreement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=DEFAULT, help="JSON Lines of exchanges with `right`")
    parser.add_argument("--protocol", default="chat")
    parser.add_argument("--verbose", action="store_true", help="print the agreements too")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    if not options.corpus.is_file():
        sys.exit(f"no corpus at {options.corpus}; name one with --corpus")
    total = classes = verdicts = seeds = false_alarms = 0
    for number, line in enumerate(options.corpus.read_bytes().splitlines(), start=1):
        record = json.loads(line)
        if record["protocol"] != options.protocol or (options.ids and record["id"] not in options.ids):
            continue
        judgement = judge(decode_exchange(line, file=str(options.corpus), number=number), RULES)
        right = record["right"]
        total += 1
        right_class = judgement.verdict_class == right["class"]
        right_verdict = judgement.verdict == right["verdict"]
        classes += right_class
        verdicts += right_verdict
        seeds += judgement.seed_verdict == record.get("seed_verdict")
        false_alarms += judgement.verdict_class is VerdictClass.FAIL and right["class"] in ("PASS", "WARN")
        if options.verbose or not (right_class and right_verdict) or judgement.crashed:
            show(judgement, right)
    if not total:
        sys.exit("nothing was judged")
    print(
        f"{total} exchanges: class right {classes} ({classes / total:.1%}), verdict right {verdicts}"
        f" ({verdicts / total:.1%}), old script's verdict reproduced {seeds} ({seeds / total:.1%}),"
        f" false FAIL {false_alarms}"
    )


def show(judgement: Judgement, right: dict[str, object]) -> None:
    """Print one exchange: what was said, what is right, and why."""
    print(f"{judgement.id}: {judgement.verdict_class} {judgement.verdict} {judgement.kind or ''}")
    print(f"    right: {right['class']} {right['verdict']} {right.get('rules', '')} {right['why']}")
    for finding in judgement.findings:
        print(f"    {finding.level:<6} {finding.rule}: {finding.message}")
    for name, problem in judgement.crashed.items():
        print(f"    CRASH  {name}: {problem}")


if __name__ == "__main__":
    main()
