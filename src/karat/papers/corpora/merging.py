"""Labels for constituents, merged while that shortens the description of the treebank.

Follows Bayesian model merging (Borensztajn & Zuidema 2007). The description length, in bits, is that of
a grammar and of the data given the grammar. With N labels and T tags, each distinct rule costs log2(N + T + 1) for
every symbol of its two sides, the 1 being the start symbol; each use of a rule costs -log2 of its share among the uses
of rules with its left side.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import chain, combinations
from math import log2
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from karat.errors import KaratError
from karat.papers.corpora.grammar import Constituents

Ints = NDArray[np.int64]
Rule: TypeAlias = tuple[int, ...]  # the left side, then the right
Pair: TypeAlias = tuple[int, int]

START = -1  # the symbol over every sentence; tags are 0 to T - 1, labels T and more
_GAP = -2  # stands for the label in a rule's context
_NOTHING = 1e-9  # bits; smaller savings may be rounding errors


def merged_labels(units: Constituents, *, progress: Callable[[int, float], None] | None = None) -> Ints:
    """A label for each constituent, by greedy merging; labels are numbered by falling frequency.

    Initially, constituents have the same label if their trees of tags are equal. Candidates are pairs of labels that
    share a context, that is, occur in rules that are otherwise equal; the pair that saves most bits is merged, the
    first of equals, while bits are saved. progress(merges, bits) is called after each merge with the totals so far.
    """
    labels = tree_labels(units)
    merging = _Merging(units, labels)
    saved = 0.0
    for merges, gain in enumerate(merging.run(), 1):
        saved += gain
        if progress is not None:
            progress(merges, saved)
    return _by_frequency(merging.names()[labels])


def tree_labels(units: Constituents) -> Ints:
    """The initial labels: equal where the trees of tags are equal."""
    known: dict[Rule, int] = {}
    labels = np.zeros(len(units), dtype=np.int64)
    for number in reversed(range(len(units))):  # inner constituents first
        labels[number] = known.setdefault(_right_side(units, labels, number), len(known))
    return _by_frequency(labels)


def description_length(units: Constituents, labels: ArrayLike) -> float:
    """The description length in bits: that of the grammar plus that of the data given the grammar."""
    rules = _rules(units, _checked(units, labels))
    uses: Counter[int] = Counter()
    for rule, count in rules.items():
        uses[rule[0]] += count
    symbol = log2(len(uses) - 1 + len(units.tags) + 1)  # uses has every label as left side, and START
    grammar = sum(map(len, rules)) * symbol
    return grammar - sum(count * log2(count / uses[rule[0]]) for rule, count in rules.items())


def _checked(units: Constituents, labels: ArrayLike) -> Ints:
    given = np.asarray(labels)
    if given.shape != (len(units),):
        raise KaratError(f"there are {given.size} labels for {len(units)} constituents; give one for each.")
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def _by_frequency(labels: Ints) -> Ints:
    """Renumber labels by falling frequency from 0; ties by first occurrence."""
    _, first, inverse, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    ranks = np.empty(len(counts), dtype=np.int64)
    ranks[np.lexsort((first, -counts))] = np.arange(len(counts))
    return ranks[inverse]


def _right_side(units: Constituents, labels: Ints, number: int) -> Rule:
    inside = units.symbols[units.first_child[number] : units.first_child[number + 1]].tolist()
    return tuple(symbol if symbol >= 0 else len(units.tags) + int(labels[~symbol]) for symbol in inside)


def _rules(units: Constituents, labels: Ints) -> Counter[Rule]:
    """The rules of the labelled trees, and their frequencies."""
    tags = len(units.tags)
    rules = Counter((tags + int(label), *_right_side(units, labels, i)) for i, label in enumerate(labels))
    rules.update((START, tags + int(label)) for label in labels[units.parent < 0])
    return rules


class _Saving(NamedTuple):
    """The saving of a merge: symbols of the grammar, whose cost varies with the number of labels, and bits of data."""

    symbols: int
    bits: float


class _Merging:
    """A grammar whose labels are being merged.

    Savings of pairs are kept in heaps, one for each number of symbols, as the cost of a symbol changes with every
    merge. A merge can raise the savings only of pairs whose merge would make a rule that it changes equal to another;
    these are recomputed. Those of other pairs can only fall, so they are checked when they come to the top.

    Labels of whole sentences all share the context under START, which gives too many pairs. For labels that share no
    other context, the saving depends only on their frequencies, there and in total, so that the first pair with given
    frequencies represents all others.
    """

    def __init__(self, units: Constituents, labels: Ints) -> None:
        self.tags = len(units.tags)
        self.counts: dict[Rule, int] = dict(_rules(units, labels))
        self.number = int(labels.max()) + 1  # of remaining labels
        self.merged_into = list(range(self.tags + self.number))  # what each symbol was merged into
        self.uses = [0] * len(self.merged_into)
        self.rules_of: list[dict[Rule, None]] = [{} for _ in self.merged_into]  # dicts as ordered sets
        self.sharing: dict[Rule, dict[int, None]] = {}  # contexts (rules with a gap), and the labels that fill them
        self.cost = [0.0, *(n * log2(n) for n in range(1, len(labels) + 1))]
        self.savings: dict[Pair, _Saving] = {}
        self.heaps: dict[int, list[tuple[float, Pair]]] = {}
        for rule, count in self.counts.items():
            self._enter(rule)
            if rule[0] != START:
                self.uses[rule[0]] += count
        self.roots: dict[Pair, list[int]] = {}  # sorted labels under START, by their frequencies
        for label in range(self.tags, len(self.merged_into)):
            self._add_root(label)
        self.size = sum(map(len, self.counts))  # symbols

    def names(self) -> Ints:
        """The current label of each initial label."""
        for symbol in range(self.tags, len(self.merged_into)):
            while self.merged_into[symbol] != self.merged_into[self.merged_into[symbol]]:
                self.merged_into[symbol] = self.merged_into[self.merged_into[symbol]]
        return np.array(self.merged_into[self.tags :], dtype=np.int64)

    def run(self) -> Iterator[float]:
        """Merge labels while the description gets shorter; yield the bits that each merge saves."""
        self._weigh(chain(self._pairs(self.counts), self._root_pairs(self.roots)))
        while (best := self._best()) is not None and (gain := self._gain(self.savings[best])) > _NOTHING:
            self.size -= self.savings[best].symbols
            self._merge(best)
            self.number -= 1
            yield gain

    def _gain(self, saving: _Saving) -> float:
        """The bits that a merge saves in all, as every symbol costs less with one label fewer."""
        dearer, price = self._price(self.number), self._price(self.number - 1)
        return self.size * (dearer - price) + saving.symbols * price + saving.bits

    def _price(self, labels: int) -> float:
        return log2(labels + self.tags + 1)

    def _is_left(self, pair: Pair) -> bool:
        return self.merged_into[pair[0]] == pair[0] and self.merged_into[pair[1]] == pair[1]

    def _contexts(self, rule: Rule) -> list[tuple[int, Rule]]:
        """Each label of a rule with its context; for a repeated label, also with gaps at all its occurrences."""
        labels = [(i, symbol) for i, symbol in enumerate(rule) if symbol >= self.tags]
        links = [(symbol, (*rule[:i], _GAP, *rule[i + 1 :])) for i, symbol in labels]
        again = Counter(symbol for _, symbol in labels) if len(labels) > 1 else {}
        return links + [(symbol, _replaced(rule, symbol, _GAP)) for symbol, times in again.items() if times > 1]

    def _enter(self, rule: Rule) -> None:
        for symbol, gapped in self._contexts(rule):
            self.rules_of[symbol][rule] = None
            self.sharing.setdefault(gapped, {})[symbol] = None

    def _remove(self, rule: Rule) -> None:
        for symbol, gapped in self._contexts(rule):
            self.rules_of[symbol].pop(rule, None)
            self.sharing[gapped].pop(symbol, None)

    def _pairs(self, rules: Iterable[Rule]) -> Iterator[Pair]:
        """The pairs of labels that share a context, one of them in one of these rules."""
        for rule in rules:
            if rule[0] == START:
                continue
            for symbol, gapped in self._contexts(rule):
                for other in self.sharing[gapped]:
                    if other != symbol:
                        yield (symbol, other) if symbol < other else (other, symbol)

    def _crossed_pairs(self, rules: Iterable[Rule]) -> Iterator[Pair]:
        """The candidates whose merge makes one of these rules equal to one that differs at two positions or more."""
        for rule in rules:
            labels = sorted({symbol for symbol in rule if symbol >= self.tags})
            pairs = [*combinations(labels, 2), *self._partly_shared(rule)]
            yield from (pair for pair in pairs if pair in self.savings or self._are_roots(pair))

    def _partly_shared(self, rule: Rule) -> Iterator[Pair]:
        """Pairs of a label that occurs three times or more in a rule and one that replaces only some occurrences."""
        for symbol, times in Counter(rule).items():
            if symbol < self.tags or times < 3:
                continue
            indices = [i for i, other in enumerate(rule) if other == symbol]
            for some in chain.from_iterable(combinations(indices, size) for size in range(2, times)):
                gapped = tuple(_GAP if i in some else other for i, other in enumerate(rule))
                yield from ((min(symbol, o), max(symbol, o)) for o in self.sharing.get(gapped, ()) if o != symbol)

    def _are_roots(self, pair: Pair) -> bool:
        return (START, pair[0]) in self.counts and (START, pair[1]) in self.counts

    def _root_pairs(self, uses: Iterable[Pair]) -> Iterator[Pair]:
        """A pair of labels under START for each two frequencies, one of which is given."""
        for mine in uses:
            for others, labels in self.roots.items():
                pair = sorted(self.roots.get(mine, [])[:1] + labels[mine == others :][:1])
                if len(pair) == 2:
                    yield pair[0], pair[1]

    def _root_uses(self, label: int) -> Pair:
        return self.uses[label], self.counts.get((START, label), 0)

    def _add_root(self, label: int) -> None:
        uses = self._root_uses(label)
        if uses[1]:
            insort(self.roots.setdefault(uses, []), label)

    def _remove_root(self, label: int) -> None:
        uses = self._root_uses(label)
        if uses[1]:
            self.roots[uses].remove(label)
            if not self.roots[uses]:
                del self.roots[uses]

    def _weigh(self, pairs: Iterable[Pair]) -> None:
        """Compute the savings of these pairs, and add them to the heaps."""
        for pair in dict.fromkeys(pairs):
            saving = self._saving(pair)
            if self.savings.get(pair) != saving:
                self.savings[pair] = saving
                heappush(self.heaps.setdefault(saving.symbols, []), (-saving.bits, pair))

    def _saving(self, pair: Pair) -> _Saving:
        """The saving of a merge of two labels, by which some rules become equal."""
        gone, kept = self._roles(pair)
        same: dict[Rule, list[int]] = {}
        for rule in self.rules_of[gone]:
            same.setdefault(_replaced(rule, gone, kept), []).append(self.counts[rule])
        cost, symbols = self.cost, 0
        bits = cost[self.uses[gone]] + cost[self.uses[kept]] - cost[self.uses[gone] + self.uses[kept]]
        for rule, counts in same.items():
            if rule in self.counts:
                counts.append(self.counts[rule])
            if len(counts) > 1:
                symbols += (len(counts) - 1) * len(rule)
                bits += cost[sum(counts)] - sum(cost[count] for count in counts)
        return _Saving(symbols, round(bits, 9))  # so that equal savings compare equal

    def _roles(self, pair: Pair) -> Pair:
        """The label to remove, which is in fewer rules, and the one to keep."""
        a, b = pair
        return (a, b) if len(self.rules_of[a]) < len(self.rules_of[b]) else (b, a)

    def _best(self) -> Pair | None:
        """The pair with the largest current saving, the first of equals."""
        price = self._price(self.number - 1)
        while self.heaps:
            symbols = max(self.heaps, key=lambda s: (s * price - self.heaps[s][0][0], s))
            heap = self.heaps[symbols]
            _, pair = heap[0]
            if self._is_left(pair):
                known = self.savings[pair]
                self._weigh([pair])
                if self.savings[pair] == known == (symbols, -heap[0][0]):
                    return pair
            while heap and not self._is_current(symbols, *heap[0]):
                heappop(heap)
            if not heap:
                del self.heaps[symbols]
        return None

    def _is_current(self, symbols: int, bits: float, pair: Pair) -> bool:
        return self._is_left(pair) and self.savings[pair] == (symbols, -bits)

    def _merge(self, pair: Pair) -> None:
        gone, kept = self._roles(pair)
        uses = [self._root_uses(gone), self._root_uses(kept)]
        self._remove_root(gone)
        self._remove_root(kept)
        changed: dict[Rule, None] = {}
        for rule in list(self.rules_of[gone]):
            self._remove(rule)
            new = _replaced(rule, gone, kept)
            self.counts[new] = self.counts.get(new, 0) + self.counts.pop(rule)
            changed[new] = None
            self._enter(new)
        self.merged_into[gone] = kept
        self.uses[kept] += self.uses[gone]
        self._add_root(kept)
        roots = self._root_pairs([*uses, self._root_uses(kept)])
        self._weigh(chain(self._pairs(changed), self._crossed_pairs(changed), roots))


def _replaced(rule: Rule, gone: int, kept: int) -> Rule:
    return tuple([kept if symbol == gone else symbol for symbol in rule])
