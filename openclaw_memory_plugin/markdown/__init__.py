"""Markdown text to statements with line numbers, statements to Markdown text; pure, no input or output."""
