"""Corpora of the papers' experiments: texts, speech and treebanks, read and turned into features.

columns.py    a table with columns of classes and of texts or features
texts.py      documents, a folder for each class or a table
terms.py      stemmed tf-idf vectors of documents
features.py   items with numeric features
textgrids.py  Praat's labels of a recording
speech.py     recordings with words and tones in TextGrids
prosody.py    ten features of accented words, by Praat
festival.py   speech with known accents, synthesised by Festival
trees.py      constituent trees, and their normalisation
treebanks.py  trees of a file or folder; penn.py, negra.py and tiger.py read its formats, graphs.py removes gaps
grammar.py    constituents, and their syntactic features
merging.py    labels by merging to minimum description length
"""
