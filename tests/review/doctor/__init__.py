"""Tests of what a review makes of the doctor's findings."""
