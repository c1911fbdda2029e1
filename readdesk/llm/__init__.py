"""Language models: words in, words out, on this computer or over HTTP."""
