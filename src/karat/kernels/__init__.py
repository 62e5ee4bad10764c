"""Loops over plain arrays: arrays in, arrays out, no karat type."""
