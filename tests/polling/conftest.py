"""The small mqweb of the tests of polling."""

from tests.polling.mqweb import certificate, mqweb

__all__ = ["certificate", "mqweb"]
