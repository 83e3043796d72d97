"""Quality of recall against labelled questions."""
