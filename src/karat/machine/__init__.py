"""The machine: the folder for temporary files, the cache directory, and programs of others.

temporary.py  one temporary folder per process, removed at its end; folders of killed processes are removed later
caches.py     the user's cache directory
modules.py    the modules in a folder
programs.py   programs are searched where they are installed, never in the working directory
"""
