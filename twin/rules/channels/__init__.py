"""Channels: their states, retries, batches and switches of transmission queue."""
