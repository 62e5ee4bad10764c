"""Made-up data: document sets with known classes, and a clusterer for them.

documents.py  Kishida's (2014) generator of document sets, and tf-idf
skmeans.py    spherical k-means by single moves
"""

from karat.synth.documents import DocumentModel as DocumentModel
from karat.synth.documents import tf_idf as tf_idf
from karat.synth.skmeans import SphericalKMeans as SphericalKMeans
