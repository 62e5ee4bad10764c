"""Corpora of the papers' experiments: texts, speech and trees of the user's own, read and turned into features.

columns.py    a table whose columns hold classes and what goes with them
texts.py      documents, a folder for each class or a table
terms.py      stemmed tf-idf vectors of documents
features.py   items with numeric features
textgrids.py  Praat's labels of a recording
speech.py     recordings with words and tones in TextGrids
prosody.py    ten features of accented words, by Praat
festival.py   speech with known accents, made by Festival
trees.py      constituent trees, and what is kept of them
treebanks.py  trees of a file or folder; penn.py, negra.py and tiger.py read its formats, graphs.py makes graphs trees
grammar.py    constituents, and their syntactic features
merging.py    labels by description length
"""
