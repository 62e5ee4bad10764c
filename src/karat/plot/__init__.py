"""Plots of karat's results, drawn with matplotlib on the axes given, or on a new figure.

heatmaps.py      heatmap(): the contingency table
flows.py         flow(): Sankey diagram from classes to clusters
compositions.py  composition(): the shares of the classes in each cluster
planes.py        plane(): homogeneity and completeness, with contours of V
sweeps.py        sweep(): measures against the number in the systems' names
standings.py     comparison(): systems ranked by score, with confidence intervals
trees.py         dendrogram(): measures clustered by correlation
saving.py        save(): PNG, SVG or PDF
overviews.py     a table reduced to its largest rows and columns, and their order
canvas.py        axes and colours; lettering.py: text and its size; placing.py: labels that do not overlap
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
