"""How dates and times are written, by language: Django looks for `LANGUAGE/formats.py` here before its own."""
