"""The certificate of the service: a given one, or one that the service makes and signs itself.

New files count for the next connection: nothing has to be restarted when a certificate is renewed.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import socket
import ssl
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from twin.errors import TwinError, reason_of
from twin.model.names import is_address
from twin.output_files import write_whole

LOGGER: Final = logging.getLogger("twin.web.certificate")
"""Takes a line for each certificate that is made, and for each that cannot be used."""

_MAKER: Final = "twin, self-signed"
_NAME: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?")

_LASTS: Final = timedelta(days=397)
"""How long a certificate lasts: some clients refuse longer ones."""

_RENEWED_BEFORE: Final = timedelta(days=30)


class UnusableCertificate(TwinError, OSError):
    """A certificate or key that cannot be read, or that do not belong together."""

    def __init__(self, paths: Sequence[Path], reason: object) -> None:
        super().__init__(f"cannot use {' and '.join(map(str, paths))}: {reason}")


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """The files of a certificate, in PEM.

    Attributes:
        certificate: the file of the certificate, and of those it depends on.
        key: the file of its private key.
        names: the names and addresses of the service, if it is to make the certificate itself; else
            empty.
    """

    certificate: Path
    key: Path
    names: tuple[str, ...] = ()

    def prepare(self) -> None:
        """Make the certificate, or make it again if it is ours and no longer good enough.

        Raises:
            UnusableCertificate: if its files cannot be read or written.
        """
        exist = self.certificate.exists() or self.key.exists()
        if not self.names or (exist and not self._is_outworn()):
            return
        try:
            _make(self)
        except OSError as error:
            raise UnusableCertificate((self.certificate, self.key), reason_of(error)) from None
        LOGGER.info(
            "made the certificate %s for %s, SHA-256 %s",
            self.certificate,
            ", ".join(self.names),
            _read(self.certificate).fingerprint(hashes.SHA256()).hex(":").upper(),
        )

    def _is_outworn(self) -> bool:
        """Return whether a certificate is our own, and ends soon or lacks a name."""
        made = _read(self.certificate)
        maker = made.issuer.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)
        if [each.value for each in maker] != [_MAKER]:
            return False
        ends_soon = made.not_valid_after_utc - datetime.now(UTC) < _RENEWED_BEFORE
        return ends_soon or not _names_of(made) >= set(self.names)

    def seen(self) -> tuple[int, ...]:
        """Return what changes with the files."""
        stats = [path.stat() for path in (self.certificate, self.key)]
        return tuple(value for each in stats for value in (each.st_ino, each.st_mtime_ns))

    def load(self) -> ssl.SSLContext:
        """Read the files.

        Raises:
            UnusableCertificate: if they cannot be used.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password=_refuse)
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or reason_of(error)
            raise UnusableCertificate((self.certificate, self.key), reason) from None
        return context


def _refuse() -> str:
    """Refuse to ask for the password of a key: nobody may be there."""
    message = "the key has a password"
    raise ValueError(message)


def names_of_service(address: str, host_names: Collection[str]) -> tuple[str, ...]:
    """Return the names and addresses that a certificate of our own has."""
    own = ["localhost", "127.0.0.1", "::1", socket.gethostname(), *host_names]
    if not (is_address(address) and ipaddress.ip_address(address).is_unspecified):
        own.append(address)
    return tuple(dict.fromkeys(name for name in own if is_host_name(name)))


def is_host_name(text: str) -> bool:
    """Return whether a text can be the name or the address of a machine."""
    return is_address(text) or bool(_NAME.fullmatch(text))


def watched_context(files: CertificateFiles) -> ssl.SSLContext:
    """Return a context for TLS that reads the files again, for new connections, if they changed.

    If new files cannot be used, the old certificate stays in use, and the log says so.

    Raises:
        UnusableCertificate: if the files cannot be used now.
    """
    files.prepare()
    current, seen = files.load(), files.seen()
    refused: tuple[int, ...] = ()
    complaint = ""

    def choose(connection: ssl.SSLObject, name: str | None, first: ssl.SSLContext) -> None:
        nonlocal current, seen, refused, complaint
        try:
            files.prepare()
            now = files.seen()
            if now not in (seen, refused):
                refused = now  # until it was read
                current, seen = files.load(), now
                LOGGER.info("the certificate %s was read again", files.certificate)
        except (TwinError, OSError) as error:
            if str(error) != complaint:
                LOGGER.warning("%s; the certificate before it stays in use", error)
            complaint = str(error)
        connection.context = current

    first = files.load()
    first.sni_callback = choose
    return first


def _make(files: CertificateFiles) -> None:
    """Make a key and a certificate that is signed with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    organization = x509.NameAttribute(NameOID.ORGANIZATION_NAME, _MAKER)
    common = x509.NameAttribute(NameOID.COMMON_NAME, files.names[0][:64])
    subject = x509.Name([organization, common])
    now = datetime.now(UTC)
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LASTS)
        .add_extension(x509.SubjectAlternativeName(_alternatives(files.names)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    write_whole(files.key, private.decode(), mode=0o600)
    write_whole(files.certificate, made.public_bytes(serialization.Encoding.PEM).decode())


def _alternatives(names: Collection[str]) -> list[x509.GeneralName]:
    return [
        x509.IPAddress(ipaddress.ip_address(name)) if is_address(name) else x509.DNSName(name)
        for name in names
    ]


def _read(path: Path) -> x509.Certificate:
    """Read a certificate.

    Raises:
        UnusableCertificate: if there is none in the file.
    """
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except OSError as error:
        raise UnusableCertificate((path,), reason_of(error)) from None
    except ValueError:
        raise UnusableCertificate((path,), "it has no certificate in PEM") from None


def _names_of(made: x509.Certificate) -> set[str]:
    try:
        found = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    addresses = {str(each) for each in found.get_values_for_type(x509.IPAddress)}
    return addresses | set(found.get_values_for_type(x509.DNSName))
