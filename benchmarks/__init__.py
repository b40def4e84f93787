"""Ours beside the peer: the same work, interleaved in one run."""
