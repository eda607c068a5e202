"""Honest numbers on how often: exact intervals for shares.

Knows: the binomial distribution. Must not know: verdicts, trials.
Sources: C. J. Clopper and E. S. Pearson, Biometrika 26 (1934), 404-413, for the interval; the bounds are quantiles of
beta distributions, whose distribution function is computed by the continued fraction of DLMF 8.17.22.
It is our own because importing scipy costs ten times what a whole report does; the tests hold it against scipy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["CONFIDENCE", "Rate", "beta_quantile", "clopper_pearson", "lower_bound", "rate", "upper_bound"]

CONFIDENCE = 0.95
"""The level of every interval and bound that we print."""

_HALVINGS = 100
"""Bisections of a quantile: more than a double has bits, so the last ones change nothing."""

_TERMS = 10_000
"""Terms of the continued fraction: about the root of the count, so this is enough for 10 million trials."""

_TINY = 1e-300
"""Stands for zero in the continued fraction (the modified method of Lentz)."""

_EPSILON = 1e-16


@dataclass(frozen=True, slots=True)
class Rate:
    """`k` of `n`, with what that says of the true share at `CONFIDENCE`; all shares are between 0 and 1."""

    k: int
    n: int
    low: float
    """Lower end of the exact two-sided interval."""
    high: float
    """Upper end of the exact two-sided interval."""
    upper: float
    """The one-sided upper bound: what the true share may still be, where only "how bad could it be" is asked."""

    @property
    def share(self) -> float | None:
        """The observed share; None where nothing was seen."""
        return self.k / self.n if self.n else None


def rate(k: int, n: int) -> Rate:
    """Return `k` of `n` with its interval; without any trial the share may be anything."""
    low, high = clopper_pearson(k, n)
    return Rate(k, n, low, high, upper_bound(k, n))


def clopper_pearson(k: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the exact two-sided interval for a share of which `k` of `n` were seen.

    Raises `ValueError` where `k` is not between 0 and `n` or `confidence` not between 0 and 1.
    """
    _check(k, n, confidence)
    alpha = (1 - confidence) / 2
    return lower_bound(k, n, 1 - alpha), upper_bound(k, n, 1 - alpha)


def upper_bound(k: int, n: int, confidence: float = CONFIDENCE) -> float:
    """Return the exact one-sided upper bound; for `k` = 0 this is 1 - (1 - confidence)^(1/n)."""
    _check(k, n, confidence)
    if k == n:
        return 1.0
    if k == 0:
        return -math.expm1(math.log1p(-confidence) / n)
    return beta_quantile(confidence, k + 1, n - k)


def lower_bound(k: int, n: int, confidence: float = CONFIDENCE) -> float:
    """Return the exact one-sided lower bound; for `k` = `n` this is (1 - confidence)^(1/n)."""
    _check(k, n, confidence)
    if k == 0:
        return 0.0
    if k == n:
        return math.exp(math.log1p(-confidence) / n)
    return beta_quantile(1 - confidence, k, n - k + 1)


def _check(k: int, n: int, confidence: float) -> None:
    """Refuse counts that cannot be."""
    if not 0 <= k <= n:
        message = f"{k} of {n} is no share"
        raise ValueError(message)
    if not 0 < confidence < 1:
        message = f"a confidence lies between 0 and 1, not at {confidence}"
        raise ValueError(message)


def beta_quantile(p: float, a: float, b: float) -> float:
    """Return the x for which a beta distribution with parameters `a` and `b` has the share `p` below it."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _beta_below(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta_below(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function (DLMF 8.17.22, and 8.17.4 where it converges faster)."""
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_below_by_fraction(1 - x, b, a)
    return _beta_below_by_fraction(x, a, b)


def _beta_below_by_fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction from its front, term by term."""
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    c, d = 1.0, 1 / _no_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):  # pragma: no branch - no count that fits in memory needs so many
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d = 1 / _no_zero(1 + term * d)
            c = _no_zero(1 + term / c)
            change = c * d
            value *= change
        if abs(change - 1) < _EPSILON:
            break
    return math.exp(log_front) * value / a


def _no_zero(value: float) -> float:
    """Keep a divisor away from zero."""
    return value if abs(value) > _TINY else _TINY
