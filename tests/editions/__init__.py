"""Logs of older editions, which every later version must migrate."""
