"""The certificates of both sides of a TLS connection, and why they are refused."""

from __future__ import annotations

import ssl
from typing import Final

from twin.errors import SubjectError, reason_of

_WANTED: Final = frozenset(
    {
        "TLSV13_ALERT_CERTIFICATE_REQUIRED",
        "SSLV3_ALERT_HANDSHAKE_FAILURE",
        "NO_CERTIFICATE_RETURNED",
    }
)
"""The alerts of a server that wants a client certificate and gets none."""

_REFUSED: Final = frozenset(
    {
        *("TLSV1_ALERT_UNKNOWN_CA", "TLSV1_ALERT_ACCESS_DENIED", "SSLV3_ALERT_BAD_CERTIFICATE"),
        *("SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", "SSLV3_ALERT_CERTIFICATE_UNKNOWN"),
        *("SSLV3_ALERT_CERTIFICATE_EXPIRED", "SSLV3_ALERT_CERTIFICATE_REVOKED"),
    }
)
"""The alerts of a server that does not take the client certificate."""


class UnusableCertificates(SubjectError, OSError, message="cannot use the certificates of {}: {}"):
    """A file of certificates that cannot be read."""


class UnusableClientCertificate(
    SubjectError, OSError, message="cannot use the client certificate {}: {}"
):
    """A client certificate, or its key, that cannot be used."""


def trusted(certificates: str | None) -> ssl.SSLContext:
    """Return what TLS trusts: the certificates of a file, or those that the machine trusts.

    Raises:
        UnusableCertificates: if the file cannot be read.
    """
    try:
        return ssl.create_default_context(cafile=certificates)
    except (OSError, ValueError) as error:
        raise UnusableCertificates(certificates or "this machine", reason_of(error)) from None


def present(
    context: ssl.SSLContext, certificate: str, key: str | None, password: str | None
) -> None:
    """Show a client certificate to servers that ask for one.

    Args:
        context: what TLS trusts.
        certificate: the file with the certificate, and those that sign it, as PEM.
        key: the file with its key; None if the key is in the same file.
        password: the password of the key; None if there is none.

    Raises:
        UnusableClientCertificate: if a file cannot be used.
    """
    asked: list[bool] = []

    def answer() -> str:
        asked.append(True)
        return password or " "  # an empty one would ask at the terminal

    try:
        context.load_cert_chain(certificate, key, answer)
    except (OSError, ValueError) as error:
        if not isinstance(error, ssl.SSLError):
            reason = reason_of(error)
        elif error.reason == "KEY_VALUES_MISMATCH":
            reason = "the key is that of another certificate"
        elif asked:
            given = "none is given" if password is None else "it is another one"
            reason = f"the key has a password, and {given}"
        else:
            reason = "it is no certificate with its key (PEM)"
        raise UnusableClientCertificate(certificate, reason) from None


def why_refused(error: ssl.SSLError) -> str:
    """Return why a certificate of either side was refused; '' if no certificate was."""
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or "it cannot be verified"
        return f"has a certificate that is not trusted: {reason} (--cacert FILE)"
    if error.reason in _WANTED:
        return "wants a client certificate (--cert FILE --key FILE)"
    return "does not take this client certificate" if error.reason in _REFUSED else ""
