"""PDFs: lines become rows, rows paragraphs; furniture is taken out, sections are found."""
