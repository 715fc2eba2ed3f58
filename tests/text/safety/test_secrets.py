"""Secrets are found by shape, by check digit and by what is said about them; ordinary text is left alone."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palazzo.text.safety.payment_numbers import card_issuer, iban, luhn, verhoeff
from palazzo.text.safety.secrets import Secret, find_secrets, redact

ANY_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=300)


def reasons(text: str) -> list[str]:
    return [secret.reason for secret in find_secrets(text)]


def made_up(
    length: int, alphabet: str = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", seed: int = 3
) -> str:
    """A value with the look of a generated key; built here so that no credential is written down in the tree."""
    source = random.Random(seed * 1000 + length)
    return "".join(source.choice(alphabet) for _ in range(length))


HEX = "0123456789abcdef"
DIGITS = "0123456789"
UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ234567"

VENDOR_CREDENTIALS = {
    "aws access key": "AKIA" + made_up(16, UPPER),
    "github personal": "ghp_" + made_up(36),
    "github app": "ghs_" + made_up(36),
    "github fine grained": "github_pat_" + made_up(59),
    "gitlab": "glpat-" + made_up(20),
    "slack bot": "xoxb-" + made_up(12, DIGITS) + "-" + made_up(24),
    "slack webhook": f"https://hooks.slack.com/services/T{made_up(8, UPPER)}/B{made_up(8, UPPER)}/{made_up(24)}",
    "discord webhook": f"https://discord.com/api/webhooks/{made_up(18, DIGITS)}/{made_up(60)}",
    "telegram bot": made_up(9, "123456789") + ":AA" + made_up(33),
    "stripe live": "sk_live_" + made_up(24),
    "stripe webhook": "whsec_" + made_up(32),
    "openai": "sk-" + made_up(24) + "7" + made_up(23),
    "openai project": "sk-proj-" + made_up(48),
    "anthropic": "sk-ant-api03-" + made_up(80),
    "google api": "AIza" + made_up(35),
    "google oauth": "ya29." + made_up(60),
    "npm": "npm_" + made_up(36),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + made_up(70),
    "sendgrid": "SG." + made_up(22) + "." + made_up(43),
    "twilio": "SK" + made_up(32, HEX),
    "mailgun": "key-" + made_up(32, HEX),
    "shopify": "shpat_" + made_up(32, HEX),
    "digitalocean": "dop_v1_" + made_up(64, HEX),
    "databricks": "dapi" + made_up(32, HEX),
    "huggingface": "hf_" + made_up(34),
    "vault": "hvs." + made_up(90),
    "docker": "dckr_pat_" + made_up(27),
    "json web token": f"eyJ{made_up(20)}.eyJ{made_up(40)}.{made_up(43)}",
    "azure storage": "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=" + made_up(86) + "==",
    "azure signature": "https://acme.blob.core.windows.net/c/b?sv=2022-11-02&sig=" + made_up(43) + "%3D",
}


@pytest.mark.parametrize("credential", VENDOR_CREDENTIALS.values(), ids=VENDOR_CREDENTIALS.keys())
def test_a_credential_with_a_published_shape_is_found_in_prose(credential: str) -> None:
    text = f"I pasted {credential} into the notes by mistake"
    found = find_secrets(text)
    assert len(found) == 1
    assert credential.rsplit("/", 1)[-1][-8:] not in redact(text, found)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my password is sunflower42", "sunflower42"),
        ("The wifi password is swordfish.", "swordfish"),
        ("wifi pw: Blue-Tiger-77", "Blue-Tiger-77"),
        ("I changed my bank password to Mango!2031 yesterday", "Mango!2031"),
        ('{"user": "ann", "password": "hunter2"}', "hunter2"),
        ("DB_PASSWORD=s3cr3tpw", "s3cr3tpw"),
        ("username bob password hunter2", "hunter2"),
        ("Mein Passwort ist Katze1987", "Katze1987"),
        ("mon mot de passe est Soleil!99", "Soleil!99"),
        ("mi contraseña es gato1234", "gato1234"),
        ("пароль: qwerty123", "qwerty123"),
        ("密码是abc12345", "abc12345"),
        ("パスワードは sakura2020", "sakura2020"),
        ('My passphrase is "purple monkey dishwasher"', "purple monkey dishwasher"),
        ("mysql --password=Qwerty99 -u root", "Qwerty99"),
        ("curl -u admin:Secr3tPw https://intranet.example", "Secr3tPw"),
        ("https://bob:hunter22@example.com/repo.git", "hunter22"),
    ],
)  # fmt: skip
def test_a_password_said_or_assigned_is_found_and_removed(text: str, value: str) -> None:
    found = find_secrets(text)
    assert "password" in [secret.reason for secret in found]
    assert value not in redact(text, found)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://admin:s3cret@db.internal:5432/prod",
        "mongodb+srv://app:Xy7zzq@cluster0.example.net/test",
        "redis://:p4ssw0rd@cache:6379/0",
        "amqps://worker:r4bb1t!@queue.example.com",
    ],
)
def test_a_connection_string_with_credentials_is_found(text: str) -> None:
    assert reasons(text) == ["connection_string"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"Authorization: Bearer {made_up(40)}", "token"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "token"),
        (f"X-API-Key: {made_up(20)}", "api_key"),
        (f"Cookie: sid={made_up(26)}; theme=dark", "session_cookie"),
        (f"/login?access_token={made_up(32)}&next=/home", "token"),
        (f"CLIENT_SECRET: '{made_up(30)}'", "client_secret"),
        (f"the api key for the staging server is {made_up(24)}", "api_key"),
        (f"our CI uses token {made_up(24)} everywhere", "token"),
        ("my debit card PIN is 4821", "pin"),
        ("CVV 123", "card_code"),
        ("the verification code is 482913", "login_code"),
        ("seed phrase: able acid also arch army atom aunt away baby back ball band", "private_key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----", "private_key"),
    ],
)
def test_other_credentials_carry_their_class(text: str, reason: str) -> None:
    assert reason in reasons(text)


def test_a_private_key_without_its_end_is_removed_to_the_end_of_the_text() -> None:
    text = "here: -----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7"
    assert redact(text, find_secrets(text)) == "here: [private_key]"


@pytest.mark.parametrize(
    "number",
    ["4111 1111 1111 1111", "4111111111111111", "5500-0000-0000-0004", "3400.000000.00009", "3530111333300000"],
)
def test_a_luhn_valid_card_number_is_found_in_any_grouping(number: str) -> None:
    assert reasons(f"charge {number} please") == ["card_number"]


def test_a_card_number_in_full_width_digits_is_found() -> None:
    assert reasons("カード番号は４１１１１１１１１１１１１１１１です") == ["card_number"]


def test_a_card_number_inside_an_order_number_is_found() -> None:
    text = "order #4111111111111111-001"
    assert redact(text, find_secrets(text)) == "order #[card_number]-001"


def test_a_number_that_fails_luhn_is_not_a_card() -> None:
    assert reasons("card 4111111111111112") == []


def test_a_short_or_unknown_number_is_a_card_only_beside_the_word() -> None:
    assert reasons("parcel 4222222222222 arrived") == []
    assert reasons("my card 4222222222222 expired") == ["card_number"]


@given(st.integers(min_value=0, max_value=10**14 - 1), st.sampled_from(["", " ", "-"]))
def test_every_visa_number_with_a_valid_check_digit_is_found(body: int, separator: str) -> None:
    digits = f"4{body:014d}"
    digits += next(check for check in DIGITS if luhn(digits + check))
    if len(set(digits)) < 2:
        return
    grouped = separator.join(digits[index : index + 4] for index in range(0, 16, 4))
    text = f"paid with {grouped} on Monday"
    assert redact(text, find_secrets(text)) == "paid with [card_number] on Monday"
    assert card_issuer(digits) == "visa"


@given(st.text(DIGITS, min_size=8, max_size=18))
def test_changing_one_digit_breaks_luhn(digits: str) -> None:
    if not luhn(digits):
        return
    changed = digits[:-1] + str((int(digits[-1]) + 1) % 10)
    assert not luhn(changed)


@pytest.mark.parametrize("number", ["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000", "gb82west12345698765432"])
def test_an_iban_is_found_by_its_check(number: str) -> None:
    assert reasons(f"send it to {number} today") == ["bank_account"]


def test_an_iban_with_a_wrong_check_is_not_one() -> None:
    assert not iban("GB82WEST12345698765433")
    assert reasons("reference GB82WEST12345698765433") == []


def test_two_ibans_beside_each_other_are_both_found() -> None:
    assert reasons("NO9386011117947 DE89370400440532013000") == ["bank_account", "bank_account"]


def test_account_and_routing_numbers_count_when_a_bank_is_spoken_of() -> None:
    assert reasons("my bank account number is 12345678, sort code 12-34-56") == ["bank_account", "bank_account"]
    assert reasons("routing number 021000021 at the bank") == ["bank_account"]
    assert reasons("my library account number is 12345678") == []


@pytest.mark.parametrize(
    "text",
    [
        "my SSN is 123-45-6789",
        "social security 123 45 6789",
        "AB 12 34 56 C",
        "national insurance AB123456C",
        "my SIN is 046 454 286",
        "NIR 1 84 12 76 451 089 46",
        "DNI 12345678Z",
        "codice fiscale RSSMRA85T10A562S",
        "Steuer-ID 86 095 742 719",
        "BSN 111222333",
        "personnummer 850709-9805",
        "hetu 131052-308T",
        "PESEL 44051401359",
        "AHV 756.9217.0769.85",
        "CPF 529.982.247-25",
        "身份证 11010519491231002X",
        "aadhaar 2341 2341 2346",
        "マイナンバー 123456789018",
        "주민등록번호 900101-1234567",
        "NRIC S1234567D",
        "TFN 123 456 782",
    ],
)
def test_a_national_number_with_a_valid_check_is_found(text: str) -> None:
    assert reasons(text) == ["national_id"]


@pytest.mark.parametrize(
    "text",
    ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "DNI 12345678A", "BSN 111222334"],
)
def test_a_national_number_that_was_never_issued_is_not_one(text: str) -> None:
    assert reasons(text) == []


def test_verhoeff_catches_swapped_neighbours() -> None:
    assert verhoeff("234123412346")
    assert not verhoeff("234123412364")


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password, can you help me reset it?",
        "The password is wrong.",
        "my password is too weak and easily guessed",
        "Passwords are stored hashed with argon2 and a salt.",
        "password: string",
        "password = request.form['password']",
        "hashed_password = argon2.hash_password(password)",
        "API_KEY=your_api_key_here",
        "api_key = os.environ['API_KEY']",
        "password: ********",
        "postgres://user:${DB_PASS}@localhost/db",
        "set the password to expire after a month",
        "location / { proxy_pass to uvicorn:8000 }",
        "The secret is communication and patience",
        "the key to success is hard work in 2024",
        "token: 4096 and max_tokens=100000000",
        "the token expired at 2024-05-01T10:00:00Z",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed the bug",
        "request 550e8400-e29b-41d4-a716-446655440000 failed",
        "call me at 415-555-0132",
        "ISBN 9780306406157",
        "timestamp 1692000000000",
        "PIN 6 of the board is ground",
        "a cookie: chocolate chip, recipe = yum",
        "bearer of bad news at 1600 Pennsylvania",
        "public key ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ",
        "const web = new WebClient('xoxb-your-slack-token')",
    ],
)
def test_ordinary_text_and_placeholders_are_not_secrets(text: str) -> None:
    assert reasons(text) == []


def test_a_finding_never_carries_the_value() -> None:
    found = find_secrets("my password is sunflower42")
    assert "sunflower42" not in repr(found)


def test_overlapping_findings_are_redacted_once() -> None:
    text = "abcdefghij"
    assert redact(text, [Secret(2, 6, "token"), Secret(4, 8, "api_key"), Secret(2, 5, "pin")]) == "ab[token]ij"


@given(ANY_TEXT)
def test_spans_are_ordered_disjoint_and_inside_the_text(text: str) -> None:
    end = 0
    for secret in find_secrets(text):
        assert end <= secret.start < secret.end <= len(text)
        end = secret.end


@given(
    st.lists(st.sampled_from(["password", "is", "=", ":", '"', "token", "4111 1111 1111 1111", "://", "x", "@", "İ"]))
)
def test_what_stands_outside_the_findings_survives_redaction(parts: list[str]) -> None:
    text = " ".join(parts)
    found = find_secrets(text)
    rest = "".join(
        text[a:b] for a, b in zip([0, *(s.end for s in found)], [*(s.start for s in found), len(text)], strict=True)
    )
    cleaned = redact(text, found)
    for secret in found:
        cleaned = cleaned.replace(f"[{secret.reason}]", "", 1)
    assert cleaned == rest


@pytest.mark.parametrize(
    "unit", ["a", "1234-", "eyJ", "-eyJaaaaaaaa", "password is ", "token for x", "://a:", "sk-", "GB12 "]
)
def test_long_hostile_input_is_read_in_linear_time(unit: str) -> None:
    # Anything worse than linear does not come back from 200,000 characters within the suite's patience.
    assert find_secrets(unit * (200_000 // len(unit))) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Save these recovery codes: 8f3k-20dk, 77ah-91mz, q2w9-ee41",
        "The rescue codes for my Google account are 5521 8890, 1102 4478",
        "Backup codes for GitHub:\n1. a8d3f-20c9e\n2. 77bc1-09dfe",
        "meine Wiederherstellungscodes sind 1188-2290 und 5567-9921",
        "mes codes de secours sont 338821, 990231 et 110984",
        "mis códigos de recuperación son 7781-0092 y 6612-3345",
        "i codici di backup sono 4451-2209 e 8891-3307",
        "Mon mot de passe pour le compte Netflix est Bretagne!77",
        "Le mot de passe de la box c'est soleil-1998",
        "Mi contraseña para el correo es Girasol_2210",
        "La contraseña que uso en el trabajo es Perro$44",
        "Mein Passwort für die Bank lautet Kastanie#19",
        "Das WLAN-Passwort bei uns zu Hause ist Birnbaum-4482",
        "Das Kennwort zum Firmenlaptop ist Elbe?2290",
        "La password per la banca è Girasole99!",
        "La mia password del wifi è limone2020!",
        "De wachtwoord voor mijn mail is Tulp!9981",
        "Kastanie#19 ist mein Passwort fürs Banking",
        "hunter22! is my password for the router",
        "use Maple!8842 as the password for the NAS",
        "My debit card PIN is 4471",
        "the pin for my phone: 902113",
        "Mein PIN für die EC-Karte ist 8842",
        "le code PIN de ma carte est 5519",
        "el PIN de mi tarjeta es 3390",
        "Die Geheimzahl meiner Karte ist 7712",
        "my bank pin's 3344",
        "PIN 7781 for the Visa",
        "my ssh passphrase is correct horse battery staple",
        "wifi: network Heron, password saltmarsh88",
        "API key for weather: 9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        "the recovery phrase is ribbon velvet orbit canyon maple drift lunar echo stone amber quiet wolf",
        "the 2FA secret is JBSWY3DPEHPK3PXP",
        "my login for the intranet is hbauer / Sommer2024!",
        "my netflix login: ines@example.org Paella!22",
    ],
)
def test_a_secret_told_in_the_words_of_every_day_is_found(text: str) -> None:
    assert find_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "My GitHub username is marlowe-k",
        "The gate code at my mum's is 4482#",
        "I keep my recovery codes in a drawer.",
        "Backup runs at 02:00 and 14:00.",
        "The backup of 2024-11-02 is 88 GB.",
        "I changed my password yesterday.",
        "Mon mot de passe a expiré hier.",
        "Ich habe mein Passwort vergessen.",
        "Mi contraseña es demasiado corta.",
        "La password scade ogni 90 giorni.",
        "The pin fell out of the hinge in 2019.",
        "My postcode is 4051.",
        "The area code is 0221.",
        "The order code for the sofa is 44812.",
        "The discount code is SPRING20.",
        "We meet in room 4471.",
        "The alarm code is in the safe.",
        "my bucket is called harbor-archive",
        "The recovery took 12 weeks and 3 days.",
        "My passport expires in 2031.",
        "Our error code 4032 means the disk is full",
        "Product code 8891-3307 is out of stock",
        "I pinned 4 posts on the board",
        "My password manager is 1Password",
        "Mein Passwortmanager ist KeePass2",
        "The dress code is smart casual.",
    ],
)
def test_talk_about_codes_and_passwords_holds_no_secret(text: str) -> None:
    assert not find_secrets(text)


def test_every_code_of_a_list_is_taken_out() -> None:
    text = "Backup codes for the forum:\n1. a8d3f-20c9e\n2. 77bc1-09dfe\n3. 90aa2-118ce\nkeep them"
    assert redact(text, find_secrets(text)) == "Backup codes for the forum:\n1. [login_code]\nkeep them"


def test_a_text_that_was_clean_stays_so_and_one_with_a_secret_is_found_each_time() -> None:
    told = f"The deploy key is {made_up(40)}"
    for _ in range(3):
        assert find_secrets("The deploy key hangs in the hall.") == ()
        assert find_secrets(told)


def test_a_line_that_is_nothing_but_a_key_is_a_secret_and_the_key_of_a_table_is_not() -> None:
    value = made_up(40, HEX, seed=7)
    assert reasons(f"key: {value}") == reasons(f"for the printer\nKey = {value}") == ["api_key"]
    assert reasons(f"cache key: {value}") == reasons(f"commit: {value}") == reasons("key: 114") == []


def test_what_a_network_is_called_is_no_secret_and_what_stands_behind_it_is() -> None:
    assert reasons("Network: Leuchtturm24") == reasons("SSID: Werkstatt9b") == []
    assert reasons("Network: Leuchtturm24 / moorhen-1871") == ["password"]
