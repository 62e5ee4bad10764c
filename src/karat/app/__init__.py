"""karat app: a page on this machine to drop files on, and see their report.

serving.py   the server, for this machine only
questions.py what a page asks: files and options, read from one request
answers.py   the report on them; files are read from memory where there is a file system in it, and kept nowhere

The page's template, style and script are beside those of the report, in reports/templates.
"""
