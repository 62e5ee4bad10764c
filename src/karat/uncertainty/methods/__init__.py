"""Methods of confidence intervals: one in each file, which has the name of its method.

A file declares its method with @interval_method of registry.py; that is all it takes to add a method.
"""
