"""Labels: equality of labels, integer codes, and gold and systems aligned by item under one policy.

identity.py   when two labels are the same
names.py      lists of distinct labels: encoded, in canonical order, checked and merged
clusters.py   lists of clusters, and partition objects of other libraries
columns.py    columns of text and of times of data frames, as codes and arrays
encoding.py   labels of any supported type as integer codes: Labels, encode()
policy.py     Policy: the treatment of items without a label, of noise, and of items to ignore
weights.py    weights, one for each item
rows.py       gold and systems as rows of codes, before a policy is applied and after
matching.py   the items of gold and systems, by item id or by position
attributes.py weights and groups, matched to the items that have them
treatment.py  apply_policy(): items without a label, noise and ignored items dropped or relabelled
alignment.py  align(): gold and any number of systems on the same items, by these four
products.py   cross(): several labelings of the same items as one
"""
