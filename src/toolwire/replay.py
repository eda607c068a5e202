"""A recorded run, judged again: the same trials through the same rules give the same result as the live run.

Knows: records, the tally. Must not know: files, servers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolwire.judge import judge
from toolwire.recording import Dropped, Footer, RecordedTrial, RecordedVerdict
from toolwire.results import RunEnd
from toolwire.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from toolwire.exchange import Exchange
    from toolwire.judge import Judgement
    from toolwire.recording import Record
    from toolwire.results import RunHeader, RunResult
    from toolwire.rule import Rule

__all__ = ["Replay", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """What a recording holds."""

    tally: Tally
    footer: Footer | None
    """None where the run was cut short, or went on after its footer and was cut short then."""
    changed: tuple[str, ...]
    """Trials whose verdict is another than when they were recorded, because the rules are: `id: old, now new`."""

    def result(self) -> RunResult:
        """Return what the run came to."""
        footer = self.footer
        if footer is None:
            missing = self.tally.planned - len(self.tally.done)
            return self.tally.result(RunEnd.CUT if missing > 0 else RunEnd.COMPLETE)
        return self.tally.result(footer.ended, stopped=footer.stopped, seconds=footer.seconds)


def replay(
    header: RunHeader,
    records: Iterable[Record],
    rules: Sequence[Rule],
    *,
    each: Callable[[Exchange, Judgement], None] | None = None,
) -> Replay:
    """Judge every recorded trial by `rules`; `each` gets every exchange with its judgement, in the order of the file.

    Raises `RecordingError` from reading the records.
    """
    tally = Tally(header)
    footer: Footer | None = None
    verdicts: dict[str, str] = {}
    changed: list[str] = []
    for record in records:
        match record:
            case RecordedTrial():
                judgement = judge(record.exchange, rules)
                tally.add(record.case, record.tool_choice, record.repeat, record.exchange, judgement)
                verdicts.setdefault(record.exchange.id, f"{judgement.verdict_class} {judgement.verdict}")
                if each is not None:
                    each(record.exchange, judgement)
            case RecordedVerdict():
                then, now = f"{record.verdict_class} {record.verdict}", verdicts.get(record.id)
                if now is not None and now != then:
                    changed.append(f"{record.id}: {then}, now {now}")
            case Dropped():
                tally.drop_field(record.field)
            case _:
                pass
        # only a footer that is the last line ends a run: one that was gone on with has earlier ones
        footer = record if isinstance(record, Footer) else None
    return Replay(tally, footer, tuple(changed))
