"""Measures of the product, outside the package."""
