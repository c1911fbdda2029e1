"""Plain text: encodings, lines that become paragraphs, chapters by numbers that run on."""
