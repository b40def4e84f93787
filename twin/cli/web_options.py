"""The options of `twin serve` about the service, and the settings that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from typer import Option

from twin.cli.errors import BadUsage
from twin.cli.files import read_text, secret_in, warn_if_open
from twin.cli.output import complain

if TYPE_CHECKING:
    from twin.app.exits import WorkloadExit
    from twin.cli.target import Target
    from twin.web.certificate import CertificateFiles
    from twin.web.metrics_options import MetricsOptions
    from twin.web.settings import ServerSettings


class AccessLogOf(StrEnum):
    """How requests are logged."""

    TEXT = "text"
    JSON = "json"
    NONE = "none"


AddressOption: TypeAlias = Annotated[
    str, Option(metavar="ADDRESS", help="Address to listen on; 0.0.0.0: all of this machine")
]
PortOption: TypeAlias = Annotated[int, Option(help="Port to listen on; 0: any", min=0, max=65535)]
HttpOption: TypeAlias = Annotated[
    bool, Option("--http", help="Serve plain HTTP, without TLS: passwords can be read on the way")
]
CertOption: TypeAlias = Annotated[
    Path | None, Option(metavar="FILE", help="Certificate in PEM [self-signed, beside --users]")
]
KeyOption: TypeAlias = Annotated[
    Path | None, Option(metavar="FILE", help="Private key of --cert, in PEM")
]
HostNameOption: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="NAME", help="Name by which clients call this service; may be repeated"),
]
PrefixOption: TypeAlias = Annotated[
    str, Option(metavar="/PATH", help="Path that a proxy puts in front of all URLs")
]
ProxyOption: TypeAlias = Annotated[
    list[str] | None,
    Option(metavar="ADDRESS", help="Proxy whose X-Forwarded headers to trust; may be repeated"),
]
ReadOnlyOption: TypeAlias = Annotated[
    bool, Option("--read-only", help="Record nothing: refuse all writes, run no scheduler")
]
AccessLogOption: TypeAlias = Annotated[
    AccessLogOf, Option(metavar="text|json|none", help="Form of the line for each request")
]
MetricsOpenOption: TypeAlias = Annotated[
    bool, Option("--metrics-open", help="Answer /metrics without a user or token")
]
MetricsTokenOption: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", help="File with a bearer token for /metrics in its first line"),
]
WorkersOption: TypeAlias = Annotated[
    int, Option(help="Processes for long computations", min=1, max=64)
]
DeadlineOption: TypeAlias = Annotated[
    int, Option(metavar="SECONDS", help="Time that a long computation may take", min=1)
]
HistoryReportOption: TypeAlias = Annotated[
    Path | None,
    Option(metavar="DIR", help="Folder of the report to show [twin.report for twin.db]"),
]
SuppressionsOption: TypeAlias = Annotated[
    Path | None,
    Option(metavar="FILE", help="Accepted findings, in YAML [.twin-doctor.yaml, if it is there]"),
]

_WEB_ONLY: Final = (
    *("address", "port", "http", "cert", "key", "host_name", "prefix", "proxy", "read_only"),
    *("users", "access_log", "metrics_open", "metrics_token", "workers", "deadline"),
    *("metrics_channels", "metrics_full", "label", "history_report", "suppressions"),
)
"""The options that have no effect without the service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebOptions:
    """The values of the options; they are named as the options are."""

    address: str
    port: int
    http: bool
    cert: Path | None
    key: Path | None
    host_name: Sequence[str]
    prefix: str
    proxy: Sequence[str]
    users: Path
    read_only: bool
    access_log: AccessLogOf
    metrics_open: bool
    metrics_token: Path | None
    workers: int
    deadline: int
    history_report: Path | None
    suppressions: Path | None

    def settings(
        self, target: Target, exits: Mapping[str, WorkloadExit], metrics: MetricsOptions
    ) -> ServerSettings:
        """Return the settings of the service for a log.

        Raises:
            BadUsage: if options are malformed or do not fit together.
            UnreadableFile: if the token or the accepted findings cannot be read.
            BadSuppression: if the accepted findings are malformed.
        """
        from twin.web.access_log import AccessLogFormat
        from twin.web.settings import ServerSettings

        return ServerSettings(
            target.url,
            self.users,
            address=self.address,
            port=self.port,
            prefix=self._prefix(),
            read_only=self.read_only,
            simulate_on_main=target.simulate_on_main,
            workers=self.workers,
            deadline=self.deadline,
            exits=exits,
            metrics_open=self.metrics_open,
            metrics_token=_token(self.metrics_token),
            host_names=tuple(self.host_name),
            proxies=tuple(self.proxy),
            certificate=self._certificate(),
            access_log=AccessLogFormat(self.access_log),
            metrics=metrics,
            history=self.history_report or target.beside("report"),
            suppressions=self._suppressions(),
        )

    def _suppressions(self) -> Path | None:
        """Return the file of accepted findings; a mistake in it is said at once."""
        from twin.review.doctor.suppressions import FILE, read_suppressions

        usual = Path(FILE)
        file = self.suppressions or (usual if usual.is_file() else None)
        if file is not None:
            read_suppressions(read_text(str(file)), str(file))
        return file

    def _prefix(self) -> str:
        prefix = self.prefix.rstrip("/")
        parts = prefix.split("/")[1:]
        if prefix and (not prefix.startswith("/") or not all(map(_is_segment, parts))):
            raise BadUsage(command="serve", problem=f"--prefix {self.prefix}: expected /PATH")
        return prefix

    def _certificate(self) -> CertificateFiles | None:
        from twin.web.certificate import CertificateFiles, is_host_name, names_of_service

        wrong = next((name for name in self.host_name if not is_host_name(name)), None)
        problem = ""
        if wrong is not None:
            problem = f"--host-name {wrong} is not the name of a machine"
        elif (self.cert is None) != (self.key is None):
            problem = "--cert and --key belong together"
        elif self.http and self.cert is not None:
            problem = "--http serves without TLS; leave out --cert and --key"
        if problem:
            raise BadUsage(command="serve", problem=problem)
        if self.http:
            return None
        if self.cert is not None and self.key is not None:
            return CertificateFiles(self.cert, self.key)
        beside = self.users.with_name
        names = names_of_service(self.address, self.host_name)
        return CertificateFiles(beside("twin-cert.pem"), beside("twin-key.pem"), names)


def _is_segment(text: str) -> bool:
    return text.isascii() and text.replace("-", "").replace("_", "").replace(".", "").isalnum()


def _token(file: Path | None) -> str:
    """Return the token in a file, '' without a file."""
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

    users = Users(settings.users)
    if not users.entries():
        complain(
            f"nobody may sign in yet: twin user add NAME --users {settings.users} makes a user"
        )
    secret = [settings.users]
    if settings.certificate is not None:
        secret.append(settings.certificate.key)
    for path in secret:
        warn_if_open(path)
