"""Documents: a file becomes sections and paragraphs that know where they came from."""
