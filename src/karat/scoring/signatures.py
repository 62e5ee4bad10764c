"""Signatures: one line that says how scores were computed."""

from __future__ import annotations

from collections.abc import Sequence

from karat.labels.policy import Policy, label_text
from karat.measures.registry import Measure
from karat.version import __version__

BASES = {"nats": "e", "bits": "2"}


def signature_of(measures: Sequence[Measure], n: str, policy: Policy) -> str:
    """How scores were computed, in one line: measures, number of items, and policy."""
    units = sorted({m.unit for m in measures if m.unit}, reverse=True)
    noise = "none" if policy.noise_as is None else f"{label_text(policy.noise)}={policy.noise_as}({policy.noise_items})"
    missing = policy.missing if policy.missing == "raise" else f"{policy.missing}({policy.missing_items})"
    ignored = (
        {} if policy.ignore is None else {"ignore": _plain(f"{label_text(policy.ignore)}({policy.ignored_items})")}
    )
    fields = {
        "measures": _plain(",".join(m.full_text for m in measures)),
        "log": "+".join(BASES[unit] for unit in units) or "any",
        "n": n.replace(",", ""),
        "matched": policy.matched,
        "missing": missing,
        "noise": _plain(noise),
        **ignored,
        "weights": "yes" if policy.weighted else "no",
        "dropped": str(policy.dropped),
        "karat": __version__,
    }
    return "|".join(f"{key}:{value}" for key, value in fields.items())


def _plain(text: str) -> str:
    return text.replace("|", r"\x7c")


def shared_signature(signatures: dict[str, str]) -> list[str]:
    """One line if all systems have the same signature, else one for each, after its name."""
    if len(set(signatures.values())) == 1:
        return [next(iter(signatures.values()))]
    return [f"{name}: {signature}" for name, signature in signatures.items()]
