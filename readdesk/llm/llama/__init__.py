"""llama.cpp: the one importer of llama_cpp, used only inside the model process."""
