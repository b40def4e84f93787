"""No password stays in a text of a feed."""

from __future__ import annotations

import pytest

from twin.feeds.reading.not_understood import not_understood
from twin.mqsc.masking import masked, masked_text

SECRETS = [
    "ALTER AUTHINFO(A) LDAPPWD('tops3cret') X(1)",
    "alter authinfo(a) ldappwd ( tops3cret ) x(1)",
    "alter qmgr sslkeyp('it''s tops3cret') x(1)",
    "two: my_pwd_1 = tops3cret X(1)",
    "cut: KEYRPWD('tops3cret",
    "see https://user:tops3cret@host/path X(1)",
    "amqp://user:a@tops3cret@host",
    "user:tops3cret@host",
    "password=tops3cret X(1)",
    '"MQ_ADMIN_PASSWORD": "tops3cret and more"',
    "Pwd = 'tops3cret'",
    "host=h user=u pass=tops3cret X(1)",
    "at https://u:tops3cret@h/a,https://v:b@h/c",
    "bad postgresql://u:tops3cret/db",
    "ALTER QMGR SSLKEYRPWD(tops3cret) X(1)",
    "STARTARG('-u joe -p tops3cret') X(1)",
    "run -pw tops3cret X(1)",
    "run --password tops3cret X(1)",
    "run --db-pass 'tops3cret and more' X(1)",
    "run --api-key tops3cret X(1)",
    "GET https://host/p?a=1&token=tops3cret&b=2 X(1)",
    "https://u:x@host/p?access_token=tops3cret",
    "x?apikey=tops3cret",
    "x-api-key: tops3cret X(1)",
    "-Dx.secret=tops3cret client_secret=tops3cret X(1)",
    '{"client_secret": "tops3cret"}',
    "AccountKey=tops3cret;sig=tops3cret",
    "Authorization: Bearer tops3cret X(1)",
    "STARTARG('-c mysql -h db -u joe -ptops3cret') X(1)",
    "mysqldump --all-databases -p'tops3cret and more' X(1)",
    "/usr/bin/sshpass -ptops3cret ssh h X(1)",
    'C:\\b\\MySQL.exe" -ptops3cret X(1)',
    "ldapsearch -x -D cn=admin -w tops3cret -b dc=x X(1)",
    "ldappasswd -wtops3cret X(1)",
    "curl -k https://h:9443/ibmmq/rest/v3 -X GET -u joe:tops3cret X(1)",
    "curl -sku 'joe:tops3cret' X(1)",
    "curl --user joe:tops3cret X(1)",
    "keytool -importkeystore -srcstorepass tops3cret -keypass tops3cret X(1)",
    "runmqakm -keydb -changepw -db key.kdb -new_pw tops3cret X(1)",
    "openssl pkcs12 -in x -passin pass:tops3cret X(1)",
]


@pytest.mark.parametrize("text", SECRETS)
def test_passwords_are_hidden(text: str) -> None:
    """A password is hidden wherever it stands; what follows it stays."""
    shown = masked_text(text)
    assert "tops3cret" not in shown
    assert ("X(1)" in shown.upper()) is ("X(1)" in text.upper())


@pytest.mark.parametrize(
    "text",
    [
        "Channel 'PASS.KEY' ended.",
        "mail to somebody@example.com",
        "host (1414) and http://www.example.com:80/x",
        "(see http://[::1]:80), then tcp://h:1414. And http://HOST:PORT/ or http://h:<port>",
        "2 passes: 4 messages; first pass: 13:31",
        "CN=A,OU=SSL For MQ,O=IBM",
        "SSLKEYR(/var/mqm/key)",
        "runmqlsr -m QM1 -t tcp -p 1414",
        "STARTARG('-p 1414') -P 22",
        "mkdir -p /var/mqm/x; run -p +MQ_INSTALL_PATH+bin -path x -port 1",
        "run --password-file /etc/pw --token -x --pass",
        "The token: it was wrong. An authorization: none",
        "TOKENISER(X) and SIGNER(Y), basic authentication",
        "mysql -P3306 -p --port 3306; run -port -print",
        "STARTARG('-pX') and amqsput Q -publish",
        "ldapsearch -W -x -s base -v; runmqsc -w 30 QM1",
        "mysql ran | run -pX",
        "curl -u joe https://h:9443/x -v; sort -u a:b",
        "the mysql-ptable and curly -u a:b",
        "openssl x -passin env:VAR -passout file:/x -storepass -keypass",
    ],
)
def test_other_text_is_unchanged(text: str) -> None:
    """What only looks like a password stays."""
    assert masked_text(text) == text


def test_a_row_shows_the_beginning_of_a_text() -> None:
    """A part that is not understood is shortened to one line."""
    row = not_understood(3, "a\n b" * 100, "why")
    assert row.text.startswith("a ba b")
    assert len(row.text) == 80


def test_an_unknown_keyword_may_be_named_as_a_secret() -> None:
    """A command with a keyword of another release is stored without its password."""
    assert "tops3cret" not in masked("ALTER QMGR SSLKEYRPWD(tops3cret)")
