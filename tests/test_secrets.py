"""What a secret looks like and what only speaks of one: a table for either side."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openclaw_memory_hookspecs import Draft
from openclaw_memory_plugin import Memory
from openclaw_memory_plugin.errors import UsageError
from openclaw_memory_plugin.guard import REDACTED, neutralise, redact
from openclaw_memory_plugin.markdown.write import check_statement, write_bullet

VALUES = ("hunter2Zx9", "HUNTER2ZX9", "correcthorsebattery")
SECRET = [
    "| Password | hunter2Zx9 |",
    "|Password|hunter2Zx9|",
    "- password\n    - hunter2Zx9",
    "password: |\n  hunter2Zx9",
    "password: >-\n    hunter2Zx9",
    "password for the router: hunter2Zx9",
    "Passwort für den Router: hunter2Zx9",
    "password (router): hunter2Zx9",
    "password → hunter2Zx9",
    "password -> hunter2Zx9",
    "password changed to hunter2Zx9",
    "the password was changed to hunter2Zx9",
    "password was hunter2Zx9",
    "password is now hunter2Zx9",
    "a senha é hunter2Zx9",
    "パスワード「hunter2Zx9」",
    "密码“hunter2Zx9”",
    "pw: hunter2Zx9",
    "PW=hunter2Zx9",
    "PGPASSWORD=hunter2Zx9",
    "MYSQL_PWD=hunter2Zx9",
    '{"dbPassword":"hunter2Zx9"}',
    "clientSecret=hunter2Zx9",
    "login --password hunter2Zx9",
    "x --db-password 'hunter2Zx9'",
    "sshpass -p hunter2Zx9 ssh x",
    "sshpass -p 'hunter2Zx9' ssh",
    "mysql -u root -phunter2Zx9",
    "mysqldump -h x -phunter2Zx9 db",
    'password: "correct horse hunter2Zx9"',
    "password: [hunter2Zx9",
    "password=[hunter2Zx9]",
    "password: ab,hunter2Zx9",
    "https://hunter2Zx9hunter2Zx9@github.com/x.git",
    "https://discord.com/api/webhooks/123456789012345678/hunter2Zx9abcdef-abc",
    "AccountKey=hunter2Zx9==;x",
    "gsk_hunter2Zx9abcdefghijklmnop",
    "xai-hunter2Zx9abcdefghijklmnop",
    "GOCSPX-hunter2Zx9abcdefghij",
    "AGE-SECRET-KEY-1HUNTER2ZX9QQQQQQQQQQQQQQQQQQ",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nhunter2Zx9\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "contraseña: hunter2Zx9",
    "비밀번호: hunter2Zx9",
    "비밀번호는 hunter2Zx9",
    "пароль: hunter2Zx9",
    "Пароль — hunter2Zx9",
    "wachtwoord: hunter2Zx9",
    "Wachtwoord is hunter2Zx9",
    "token is password: hunter2Zx9",
    "The wifi password is correcthorsebattery",
    "the password was correcthorsebattery.",
    "<private>a<private>b</private>hunter2Zx9</private>",
    "password is: hunter2Zx9",
    "password – hunter2Zx9",
    "Password - hunter2Zx9",
    "password(router): hunter2Zx9",
    "the <u>password</u>: hunter2Zx9",
    "==password==: hunter2Zx9",
    "password:: hunter2Zx9",
    "password:<br>hunter2Zx9",
    '{\\"password\\":\\"hunter2Zx9\\"}',
    "pass word: hunter2Zx9",
    "api-key: hunter2Zx9",
    "hasło: hunter2Zx9",
    "le mot de passe : hunter2Zx9",
    "password='it is hunter2Zx9'",
    "password: ab(hunter2Zx9)",
    "passwort wurde geändert auf hunter2Zx9",
    "secret access key: hunter2Zx9",
    "the password was changed to hunter2Zx9",
    "--token=hunter2Zx9",
    "my.password=hunter2Zx9,user=bob",
]
ORDINARY = [
    "password is required",
    "the password is required for login",
    "passwords are stored in the vault",
    "the token is expired",
    "the token was revoked on Monday",
    "the password was changed on 2026-01-04",
    "password changed to a longer one",
    "Password policy: ask Tom about it",
    "| Service | Password | Notes |",
    "| Password | required |",
    "| token | 4096 |",
    "|---|---|",
    "- password\n  - ask Tom\n  - rotate",
    "- Passwords\n  - see vault",
    "the password is unauthenticated",
    "the password is case-sensitive",
    "the password is misconfigured everywhere",
    "password for the router: ask Tom",
    "token for the build: see wiki",
    "the secret (open): talk to Felix",
    "--password is a flag",
    "use --token to log in",
    "--password prompts for it",
    "mysql -p mydb",
    "mysql listens on -port 3306",
    "mysql -u root -p",
    "sshpass is installed",
    "https://administrator@example.com/x",
    "https://docs.example.com/passwords/how-to",
    "discord.com/api/webhooks are used",
    "pw is short for password",
    "upward: 12 steps",
    "COMPASS=north and compass: north1",
    "bypass: 12345678",
    "a key: value store",
    "key → value",
    "monkey: bananas2go",
    "turkey is 12345678 years",
    "keyword: python3x",
    "tokens: 128000",
    "max tokens → 4096",
    "token count – 4096 per turn",
    "passport: see drawer",
    "the passenger is Anna",
    "secretary: Anna Maria",
    "Secretaria: 12345678",
    "senhas ficam no cofre",
    "La contraseña es obligatoria",
    "la contraseña era demasiado corta",
    "le mot de passe est obligatoire",
    "das Passwort ist abgelaufen",
    "das Passwort ist wiederhergestellt.",
    "Passwort für den Router: siehe Tresor",
    "пароль хранится в сейфе",
    "пароль: см. сейф",
    "비밀번호는 금고에 있다",
    "パスワード「管理」ページを開く",
    "パスワードは金庫にある",
    "密码是必填项",
    "密码“见保险箱”",
    "wachtwoord is verplicht",
    "het wachtwoord staat in de kluis",
    "PASSWORD RESET = possible? no",
    "the token — a small coin — is lost",
    "password: [see vault](https://v.example/x)",
    "token: [link](https://a.b/c1d2e3f4)",
    "- [ ] password: ask Tom for it",
    "parola: cuvinte multe aici",
    "pass: the salt, please",
    "secret => none",
    "The secret is to whisk slowly",
    "API key rotation is due",
    "Private key: keep it offline and safe",
    "the access key is with Anna",
    "account key: none set so far",
    "Basic auth is off",
    "xai-team met on Monday",
    "gsk_ is a prefix",
    "GOCSPX- is a prefix",
    "---- BEGIN of the story ----",
    "<privateer> ships",
    "authKey is a field",
    "api-\n  keys: rotate them",
    "password manager: 1Password",
    "password -- see vault",
    "Token bucket: size 5, refill 2",
]


@pytest.mark.parametrize("text", SECRET)
def test_a_secret_of_any_shape_goes(text: str) -> None:
    """However it is written down, nothing of its value is left, and its lines still count the same."""
    for clean in (redact(text), neutralise(text)):
        assert REDACTED in clean
        assert not any(value in clean for value in VALUES)
    assert redact(text).count("\n") == text.count("\n")
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    """A sentence about passwords, a name that is like a label and a label without a value are left alone."""
    assert redact(text) == text


@given(st.lists(st.sampled_from([*SECRET, *ORDINARY]), max_size=6), st.sampled_from(["\n\n", " \n\n## x\n"]))
@settings(max_examples=200, deadline=None)
def test_paragraphs_do_not_hide_one_another(texts: list[str], between: str) -> None:
    """On a page of several paragraphs each secret goes, whatever stands before it."""
    clean = redact(between.join(texts))
    assert not any(value in clean for value in VALUES)
    assert redact(clean) == clean


@given(
    st.lists(st.sampled_from([*SECRET, *ORDINARY, " ", "\n", ": ", "=", "**", '"', "[", REDACTED]), max_size=8).map(
        "".join
    )
)
@settings(max_examples=300, deadline=None)
@example("AGE-SECRET-KEY-1HUNTER2ZX9QQQQQQQQQQQQQQQQQQgsk_hunter2Zx9abcdefghijklmnop")
def test_redacting_twice_is_redacting_once(text: str) -> None:
    """Whatever runs together, every line break stays and a second pass finds nothing."""
    clean = redact(text)
    assert clean.count("\n") == text.count("\n")
    assert redact(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        "Password: hunter2Zx9.",
        "My API key is hunter2Zx9!",
        "密码是hunter2Zx9",
        "PIN: 4921",
        "The token: ghp_" + "a1B2" * 9,
    ],
)
def test_a_secret_alone_is_refused(text: str) -> None:
    """Of a statement that says only what the secret is called nothing is kept, and the message says so."""
    with pytest.raises(UsageError, match="all of it secret"):
        check_statement(text)


def test_what_a_secret_belongs_to_is_kept() -> None:
    """A statement that says more than the secret is kept without it."""
    check_statement("Peter changed the WLAN password: hunter2Zx9")
    assert write_bullet(Draft(text="Peter changed the WLAN password: hunter2Zx9")).endswith(f"password: {REDACTED}")


def test_a_text_is_no_statement() -> None:
    """What is longer than a statement can be is refused with its length and what to do."""
    check_statement("word " * 1600)
    with pytest.raises(UsageError, match="has 2000000 characters, a statement 8000 at most; say in one sentence"):
        check_statement("x" * 2_000_000)


def test_what_is_no_statement_is_not_retained(tmp_path: Path) -> None:
    """Neither a pasted text nor a lone secret reaches the log of the day."""
    with Memory.open(tmp_path) as memory:
        for text in ("x " * 1_000_000, "Password: hunter2Zx9."):
            with pytest.raises(UsageError):
                memory.retain(Draft(text=text))
    assert not list(tmp_path.rglob("*.md"))
