"""What the service was started with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from twin.app.exits import WorkloadExit
from twin.web.access_log import AccessLogFormat
from twin.web.certificate import CertificateFiles
from twin.web.metrics_options import DEFAULT, MetricsOptions

ADDRESS: Final = "127.0.0.1"
"""The address to listen on unless another one is given: this machine alone."""

PORT: Final = 9444
"""The port to listen on unless another one is given; 9443 is mqweb's own."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The options of the service.

    Attributes:
        url: the URL of the log.
        users: the file of users, with hashed passwords.
        address: the address to listen on.
        port: the port to listen on; 0 takes a free one.
        prefix: the path in front of every URL, such as `/mq`, behind a proxy; '' for none.
        read_only: whether every write is refused, whatever the role.
        simulate_on_main: whether commands on main may change observed queue managers.
        readers: how many requests may read the estate at the same time.
        workers: how many processes there are for long computations.
        deadline: the seconds that a long computation may take.
        recording: the seconds in which the steps of a what-if are recorded: nobody else can
            record meanwhile.
        exits: the workload exits that CLWLEXIT may name: functions of modules.
        metrics_open: whether everybody may have the metrics.
        metrics_token: the token with which scrapers may have the metrics; '' for none.
        host_names: the names by which this service may be addressed, besides addresses, localhost
            and the name of this machine.
        proxies: the addresses of proxies whose forwarded headers are believed.
        longest_body: the longest body of a request, in bytes.
        body_within: the seconds in which the body of a request must arrive.
        certificate: the files of the certificate; None serves plain HTTP.
        access_log: how requests are logged.
        metrics: what `/metrics` shows.
        suppressions: the file of accepted findings; None for none.
        history: the folder of the newest report of `twin history report`; None for none.
    """

    url: str
    users: Path
    address: str = ADDRESS
    port: int = PORT
    prefix: str = ""
    read_only: bool = False
    simulate_on_main: bool = False
    readers: int = 3
    workers: int = 2
    deadline: float = 60.0
    recording: float = 20.0
    exits: Mapping[str, WorkloadExit] = field(default_factory=dict)
    metrics_open: bool = False
    metrics_token: str = field(default="", repr=False)
    host_names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    longest_body: int = 8 << 20
    body_within: float = 30.0
    certificate: CertificateFiles | None = None
    access_log: AccessLogFormat = AccessLogFormat.TEXT
    metrics: MetricsOptions = DEFAULT
    suppressions: Path | None = None
    history: Path | None = None
