"""Plots of karat's own results, drawn by matplotlib on axes that are passed in, or on those of a new figure.

heatmaps.py      heatmap(): the contingency table
flows.py         flow(): from classes to clusters
compositions.py  composition(): what each cluster is made of
planes.py        plane(): homogeneity and completeness, with curves of equal V
sweeps.py        sweep(): measures against the number in the systems' names
standings.py     comparison(): systems in the order of their scores, with intervals
trees.py         dendrogram(): which measures go together
saving.py        save(): PNG, SVG or PDF
overviews.py     a table cut down to its largest lines, and their order
canvas.py        axes and colours; lettering.py: names, counts and what they take; placing.py: labels kept apart
"""

from karat.plot.compositions import composition as composition
from karat.plot.flows import flow as flow
from karat.plot.heatmaps import heatmap as heatmap
from karat.plot.planes import plane as plane
from karat.plot.saving import save as save
from karat.plot.standings import comparison as comparison
from karat.plot.sweeps import sweep as sweep
from karat.plot.trees import dendrogram as dendrogram

__all__ = ["comparison", "composition", "dendrogram", "flow", "heatmap", "plane", "save", "sweep"]
