"""Where libraries look for `pretty`."""
