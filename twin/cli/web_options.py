"""What the options of `twin serve` about the service mean, and whether they fit together."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from twin.cli.errors import BadUsage
from twin.cli.files import read_text, secret_in, warn_if_open
from twin.cli.output import complain

if TYPE_CHECKING:
    from twin.web.certificate import CertificateFiles
    from twin.web.settings import ServerSettings


class AccessLogOf(StrEnum):
    """How requests are logged."""

    TEXT = "text"
    JSON = "json"
    NONE = "none"


_WEB_ONLY: Final = (
    *("address", "port", "http", "cert", "key", "host_name", "prefix", "proxy", "read_only"),
    *("users", "access_log", "metrics_open", "metrics_token", "workers", "deadline"),
    *("metrics_channels", "metrics_full", "label", "history_report", "suppressions"),
)
"""The options that have no effect without the service."""


def suppressions_in(file: Path | None) -> Path | None:
    """Return the file of accepted findings: the given one, or the usual one if it is there.

    Raises:
        UnreadableFile, BadSuppression: if it cannot be read or is malformed; that is said at once.
    """
    from twin.review.doctor.suppressions import FILE, read_suppressions

    usual = Path(FILE)
    found = file or (usual if usual.is_file() else None)
    if found is not None:
        read_suppressions(read_text(str(found)), str(found))
    return found


def path_prefix(text: str) -> str:
    """Return the path in front of all URLs, without a slash at its end.

    Raises:
        BadUsage: if it is none.
    """
    prefix = text.rstrip("/")
    parts = prefix.split("/")[1:]
    if prefix and (not prefix.startswith("/") or not all(map(_is_segment, parts))):
        raise BadUsage(command="serve", problem=f"--prefix {text}: expected /PATH")
    return prefix


def certificate_of(
    given: tuple[Path | None, Path | None],
    users: Path,
    address: str,
    host_names: Sequence[str],
    *,
    http: bool,
) -> CertificateFiles | None:
    """Return the files of the certificate: the given pair, or a pair beside the file of users.

    None serves plain HTTP.

    Raises:
        BadUsage: if the options do not fit together, or a name is not that of a machine.
    """
    from twin.web.certificate import CertificateFiles, is_host_name, names_of_service

    cert, key = given
    wrong = next((name for name in host_names if not is_host_name(name)), None)
    problem = ""
    if wrong is not None:
        problem = f"--host-name {wrong} is not the name of a machine"
    elif (cert is None) != (key is None):
        problem = "--cert and --key belong together"
    elif http and cert is not None:
        problem = "--http serves without TLS; leave out --cert and --key"
    if problem:
        raise BadUsage(command="serve", problem=problem)
    if http:
        return None
    if cert is not None and key is not None:
        return CertificateFiles(cert, key)
    beside = users.with_name
    names = names_of_service(address, host_names)
    return CertificateFiles(beside("twin-cert.pem"), beside("twin-key.pem"), names)


def _is_segment(text: str) -> bool:
    return text.isascii() and text.replace("-", "").replace("_", "").replace(".", "").isalnum()


def token_in(file: Path | None) -> str:
    """Return the token in a file, '' without a file.

    Raises:
        UnreadableFile, BadUsage: if the file cannot be read, or has no token.
    """
    if file is None:
        return ""
    token = secret_in(str(file)).strip()
    if not token or not token.isascii():
        problem = f"{file}, the file with the token for metrics, has no token in its first line"
        raise BadUsage(command="serve", problem=problem)
    return token


def demand_nothing_typed(context: Any) -> None:
    """Check that without the service no option about it was typed.

    Raises:
        BadUsage: if one was.
    """
    for name in _WEB_ONLY:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = f"--{name.replace('_', '-')}"
            problem = f"{option} has no effect with --no-web"
            raise BadUsage(command="serve", problem=problem, typed=option)


def warn_about(settings: ServerSettings) -> None:
    """Say what may surprise whoever starts the service: nobody can sign in, or too many can read.

    Raises:
        UnusableUsers: if the file of users cannot be used.
    """
    from twin.web.access.users import Users

    if not Users(settings.users).entries():
        complain(
            f"nobody may sign in yet: twin user add NAME --users {settings.users} makes a user"
        )
    secret = [settings.users]
    if settings.certificate is not None:
        secret.append(settings.certificate.key)
    for path in secret:
        warn_if_open(path)
