"""Synthetic data: document sets with known classes, and clustering algorithms for them.

documents.py  Kishida's (2014) generator of document sets, and tf-idf
kmeans.py     k-means
skmeans.py    spherical k-means by single moves
"""

from karat.papers.synth.documents import DocumentModel as DocumentModel
from karat.papers.synth.documents import tf_idf as tf_idf
from karat.papers.synth.kmeans import KMeans as KMeans
from karat.papers.synth.skmeans import SphericalKMeans as SphericalKMeans
