"""ReadDesk reads books with a model of one's own.

The map, from the ground up; a room imports only from those above it in this list:

- errors, cancel, paths, settings, log, worker: the base. `worker` puts a service object into a child process.
- documents: a file becomes sections and paragraphs with anchors. `model` and `normal` are used everywhere; the parsers,
  a package for each format, run in the document process (`service`) and are reached through `open`; an importer says
  what it reads as `draft` has it, `stream` and `health` make messages of that. Leaves and pictures are drawn in the
  drawing process, whose inside is `render`, and are reached through `drawer`.
- llm: words in, words out. `base` is the Engine protocol, `local` the engine in the model process, whose inside is
  `llama`; `catalogue`, `download` and `loader` bring models and choose among them.
- retrieval: which passages matter to a question.
- reading: the reading agent. Values in, values out: pagination, gists, look-up, answers.
- library: one SQLite file with everything that is kept.
- jobs: generators in lanes that do the work of the rooms above, one save point after the other. There are four lanes:
  model (gisting, and questions ahead of it), files (adding, exporting), net (downloads), view (what is on the screen).
- desk: opens everything, offers the verbs.
- cli: shows them on a command line.
- gui: shows them in a window. `app` starts it, `mainwindow` puts it together, `actions` lists what a person can do,
  `bridge` brings events into the window's thread, `panes` and `reader` are the places of an open book. The only room
  that loads Qt; it and `cli` do not know each other.

`__main__` starts the command line and hands it the function that shows the window.

Processes: this one (never loads a parser or llama.cpp), the document process, the drawing process, the model process.
A question's way: cli or gui -> desk.ask -> model lane -> jobs.ask -> library.gists (the memory) -> reading.agent
(look-up, pages, answer) -> library.conversations -> events back to cli, or over the bridge to gui.
A leaf's way: gui.reader -> desk.draw -> view lane -> jobs.view -> documents.drawer -> drawing process -> shared memory
-> event with the picture, over the bridge.
"""

__version__ = "0.1.0"
