"""Contracts that every implementation keeps."""
