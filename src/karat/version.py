"""The version of karat, from which the package's metadata is read."""

__version__ = "0.1.0"
