"""Labels: what one label is, labels to integer codes, and gold and systems matched item by item under one policy.

names.py      what counts as one label, and the order of labels
clusters.py   lists of clusters, and the objects of other libraries that hold partitions
encoding.py   anything that holds labels, as integer codes: Labels, encode()
policy.py     Policy: what becomes of items without a label, of noise, and of items to ignore
weights.py    weights, one for each item
alignment.py  align(): gold and any number of systems on the same items
products.py   cross(): several labelings of the same items as one
"""
