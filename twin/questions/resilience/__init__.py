"""The question `resilience`: what one failure would strand, rehearsed loss by loss."""
