"""Reports: one self-contained HTML page that needs no network, server or other file.

reporting.py  report(): scores, comparison and explanations of some systems
content.py    Report: the content of a page, to be saved or shown in a notebook
example_items.py  the ids of a few example items of each cell
figures.py    plots as SVG, in light and dark variants
strips.py     a score on its scale, with those of trivial clusterings
explorer.py   classes, clusters and cells as JSON for the page's script
heat.py       heat map of the largest classes and clusters, as an HTML table
pages.py      the rendered templates, under a strict Content-Security-Policy
notebooks.py  plots shown below a result in a notebook
templates/    the page, its style and its script
"""
