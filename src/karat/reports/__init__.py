"""Reports: one self-contained HTML page that needs no network, server or other file.

reporting.py  report(): scores, comparison and explanations of some systems
content.py    Report: the content of a page, to be saved or shown in a notebook
example_items.py  the ids of a few example items of each cell
strips.py     a score on its scale, with the scores of trivial clusterings
explorer.py   classes, clusters and cells as JSON for the page's script
heat.py       heat map of the largest classes and clusters, as an HTML table
blocks.py     what a page is made of: sections, and the kinds of blocks in them
drawings.py   the pictures of a section, asked for by name from karat.plot
sections.py   the sections about all systems together, and those at the end
systems.py    the sections about one system
pages.py      the list of sections, rendered under a strict Content-Security-Policy
app/          karat app: a local web page that shows the report on files dropped on it
templates/    the page, a macro for each kind of block, the style and the script
"""
