"""XHTML and HTML become paragraphs: elements, the walk through them, marks and notes; saved web pages."""
