"""Labels: equality of labels, integer codes, and gold and systems aligned by item under one policy.

names.py      when two labels are equal, and the order of labels
clusters.py   lists of clusters, and partition objects of other libraries
encoding.py   labels of any supported type as integer codes: Labels, encode()
policy.py     Policy: the treatment of items without a label, of noise, and of items to ignore
weights.py    weights, one for each item
alignment.py  align(): gold and any number of systems on the same items
products.py   cross(): several labelings of the same items as one
"""
