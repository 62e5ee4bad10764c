"""Reports to look at: one HTML page that holds all it shows, and needs no network, no server and no other file.

reporting.py  report(): scores, comparison and explanation of some systems, gathered
content.py    Report: what a page says, to be saved or shown in a notebook
example_items.py  the ids of some items of each cell
figures.py    plots as SVG, for light and for dark pages
strips.py     a score on its scale, beside trivial clusterings
explorer.py   classes, clusters and cells as the page's script reads them
heat.py       the table of the largest classes and clusters, as cells of HTML
pages.py      the templates filled in, under a strict Content-Security-Policy
notebooks.py  results as HTML, with their plots
templates/    the page, its style and its script
"""
