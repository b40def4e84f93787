"""Estates that twin simulates and that are collected in part: what it says of them must be true."""
