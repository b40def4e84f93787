"""Tests of the doctor: its rules on planted faults."""
