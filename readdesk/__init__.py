"""ReadDesk reads books with a model of one's own.

The map, from the ground up; a room imports only from those above it in this list:

- errors, cancel, paths, settings, log, worker: the base. `worker` puts a service object into a child process.
- documents: a file becomes sections and paragraphs with anchors. `model` and `normal` are used everywhere; the parsers
  run in the document process and are reached through `open`.
- llm: words in, words out. `base` is the Engine protocol, `local` the engine in the model process, whose inside is
  `llama`; `catalogue`, `download` and `loader` bring models and choose among them.
- retrieval: which passages matter to a question.
- reading: the reading agent. Values in, values out: pagination, gists, look-up, answers.
- library: one SQLite file with everything that is kept.
- jobs: generators in lanes that do the work of the rooms above, one save point after the other.
- desk: opens everything, offers the verbs.
- cli: shows them on a command line. `__main__` starts it.

Processes: this one (never loads a parser or llama.cpp), the document process, the model process.
A question's way: cli -> desk.ask -> model lane -> jobs.ask -> library.gists (the memory) -> reading.agent (look-up,
pages, answer) -> library.conversations -> events back to cli.
"""

__version__ = "0.1.0"
