"""Records: the nouns that stages hand to one another; frozen, typed, named by their content."""
