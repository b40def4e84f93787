"""Estates that twin simulates, written out as feeds and taken in again."""
