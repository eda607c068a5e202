"""Intervals are exact: held against scipy, the closed forms, and their own meaning."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom  # type: ignore[import-untyped]

from toolwire.stats import beta_quantile, clopper_pearson, lower_bound, rate, upper_bound

COUNTS = [
    (0, 1),
    (1, 1),
    (0, 30),
    (30, 30),
    (1, 30),
    (13, 20),
    (3, 30),
    (1, 1000),
    (500, 1000),
    (999, 1000),
    (7, 100_000),
]


@pytest.mark.parametrize(("k", "n"), COUNTS)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_intervals_are_those_of_scipy(k: int, n: int, confidence: float) -> None:
    """Clopper-Pearson by the quantiles of beta distributions."""
    alpha = (1 - confidence) / 2
    low = 0.0 if k == 0 else beta.ppf(alpha, k, n - k + 1)
    high = 1.0 if k == n else beta.ppf(1 - alpha, k + 1, n - k)
    assert list(clopper_pearson(k, n, confidence)) == pytest.approx([low, high], abs=1e-10)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_bounds_mean_what_they_say(counts: tuple[int, int]) -> None:
    """At the upper bound so few successes, at the lower one so many, have the probability of the rest: 5 %."""
    k, n = counts
    low, high = lower_bound(k, n), upper_bound(k, n)
    assert 0 <= low <= k / n <= high <= 1
    if k < n:
        assert binom.cdf(k, n, high) == pytest.approx(0.05, abs=1e-6)
    if k > 0:
        assert binom.sf(k - 1, n, low) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(("n", "percent"), [(1, 95.0), (10, 25.9), (30, 9.5), (60, 4.9), (300, 1.0)])
def test_nothing_seen_still_leaves_room(n: int, percent: float) -> None:
    """0 of 30: the true rate may be up to 9.5 %."""
    assert round(upper_bound(0, n) * 100, 1) == percent
    assert upper_bound(0, n) == pytest.approx(1 - 0.05 ** (1 / n), rel=1e-12)
    assert lower_bound(n, n) == pytest.approx(1 - upper_bound(0, n), rel=1e-12)


def test_rate_holds_all_of_it() -> None:
    """Counts, share, two-sided interval and one-sided bound."""
    found = rate(3, 30)
    assert (found.k, found.n, found.share) == (3, 30, 0.1)
    assert (found.low, found.high) == clopper_pearson(3, 30)
    assert found.low < 0.1 < found.upper < found.high
    empty = rate(0, 0)
    assert (empty.share, empty.low, empty.high, empty.upper) == (None, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("k", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (1, 3, 0.0), (1, 3, 1.0), (1, 3, 95.0)]
)
def test_impossible_counts_are_refused(k: int, n: int, confidence: float) -> None:
    """A share above one, or a confidence in per cent, is a slip of ours."""
    with pytest.raises(ValueError, match=r"is no share|lies between 0 and 1"):
        clopper_pearson(k, n, confidence)


@given(st.floats(0.001, 0.999), st.floats(0.5, 500), st.floats(0.5, 500))
def test_quantiles_turn_the_distribution_around(p: float, a: float, b: float) -> None:
    """A quantile has the share that was asked for below it."""
    x = beta_quantile(p, a, b)
    assert math.isclose(beta.cdf(x, a, b), p, abs_tol=1e-7)


def test_a_quantile_next_to_one() -> None:
    """Where doubles end the answer is still a share."""
    assert beta_quantile(0.5, 1e17, 1) == pytest.approx(1)
