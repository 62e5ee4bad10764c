"""The machine: the folder for temporary files, the cache directory, and programs of others.

temporary.py  one folder a process, removed at every end; what killed processes left is removed by the next
caches.py     the user's cache directory
programs.py   programs are found where they are installed, never in the working directory
"""
