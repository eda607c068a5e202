"""How many events a second the judge reads, decodes, accumulates and judges on one core, from stored exchanges.

    python bench/judge_speed.py [--seconds 2] [--at-least EVENTS_A_SECOND]

The streams come from the simulator, one event a read, as they do from a server: a healthy one of a short, an
ordinary and a long call, and a few faulty ones, whose oddities cost extra. The time is CPU time, every judgement starts
from the exchange's bytes, and nothing is kept between two. With `--at-least` the exit code is 1 where an ordinary or a
long healthy stream is slower.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from toolwire.exchange import Exchange, decode_exchange
from toolwire.judge import VerdictClass, judge
from toolwire.rules.catalogue import RULES
from toolwire.simulator.play import plan_wire, wire_exchange

LONG = 40_000
"""Characters of the long call: a whole file that is written in one go."""

ORDINARY = 1_200
"""Characters of an ordinary one."""

FAULTS = ("leak-hermes", "id-repeated", "args-end-missing", "index-missing", "finish-missing")
"""Faulty streams of several groups."""


def asked(characters: int) -> str:
    """Return a prompt that asks for a call of this size."""
    return f'Write the file /srv/notes.txt with the content "milk {"and honey " * (characters // 10)}".'


def request(prompt: str) -> dict[str, object]:
    """Ask for one call of a tool that writes a file."""
    properties = {"path": {"type": "string"}, "content": {"type": "string"}}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "model": "bench",
        "messages": [{"role": "user", "content": prompt}],
        "tools": [{"type": "function", "function": {"name": "write_file", "parameters": parameters}}],
        "tool_choice": "required",
        "stream": True,
    }


def exchange(prompt: str, fault: str = "") -> Exchange:
    """Record the simulator's answer."""
    body = request(prompt)
    record = wire_exchange(plan_wire(body, fault), body)
    return decode_exchange(json.dumps(record).encode(), file="bench", number=1)


def measure(one: Exchange, seconds: float) -> float:
    """Return events a second of CPU time."""
    events = len(one.reads)
    judge(one, RULES)
    rounds = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        judge(one, RULES)
        rounds += 1
    return events * rounds / spent


def main() -> None:
    """Measure each stream and print what it came to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds for each stream")
    parser.add_argument("--at-least", type=float, default=0.0, help="events a second that healthy streams must reach")
    options = parser.parse_args()
    healthy = {
        "short call": exchange(asked(0)),
        "ordinary call": exchange(asked(ORDINARY)),
        "long call": exchange(asked(LONG)),
    }
    slowest = float("inf")
    for name, one in healthy.items():
        if judge(one, RULES).verdict_class is not VerdictClass.PASS:
            sys.exit(f"the bench's stream {name} is not healthy: {judge(one, RULES).findings}")
        speed = measure(one, options.seconds)
        if name != "short call":  # its few events carry the whole cost of a judgement
            slowest = min(slowest, speed)
        print(f"{name:<28} {len(one.reads):>6} events {speed:>10,.0f} events/s")
    for fault in FAULTS:
        one = exchange(asked(ORDINARY), fault)
        print(f"{fault:<28} {len(one.reads):>6} events {measure(one, options.seconds):>10,.0f} events/s")
    if slowest < options.at_least:
        sys.exit(f"healthy streams are judged at {slowest:,.0f} events/s, and {options.at_least:,.0f} are asked for")


if __name__ == "__main__":
    main()
