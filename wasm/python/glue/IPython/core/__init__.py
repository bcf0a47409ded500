"""Old names of what is in `IPython.display`."""
