"""How an agent may grow, what is assessed where somebody switched it on, and what may leave for research."""
