"""As it was called before IPython 7.14."""

from IPython.display import *
