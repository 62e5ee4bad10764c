"""karat app: a local web page that shows the report on files dropped on it.

serving.py      the server, bound to the local machine: access checks and responses
connections.py  limits on the duration and number of connections
questions.py    requests: options, and files that are written to a temporary folder as they arrive
workers.py      queue of reports, each computed by its own process, which is killed when the client leaves
working.py      the worker process: its limits, one question, one answer
answers.py      the report on the files of a question

The page's template, style and script are beside those of the report, in reports/templates.
"""
