"""karat app: a page on this machine to drop files on, and see their report.

serving.py      the server, for this machine only: who may ask, and what is answered
connections.py  how long a connection may take to ask, and how many there may be
questions.py    what a page asks: options, and files that are written to a temporary folder as they arrive
workers.py      reports at work and reports that wait: each in a process of its own, ended when nobody wants it
working.py      that process: its limits, one question, one answer
answers.py      the report on the files of a question

The page's template, style and script are beside those of the report, in reports/templates.
"""
