"""Tests of imports: facts with instants of their own."""
