"""Published shapes of vendor credentials: one row per family of keys, tokens and signed addresses.

Owns the table only. A row is looked at when one of its literal marks stands in the text, so a sentence without
any mark costs a few substring tests. Every pattern starts at a mark, is bounded or runs over one character
class, and cannot match twice from the same place: matching stays linear on any input. Where a prefix is also the
start of ordinary names the part called `body` must have the look of a generated value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from mnemon.text.safety.credential_values import looks_generated


@dataclass(frozen=True, slots=True)
class VendorShape:
    """A credential recognisable by itself: its reason, the marks that announce it, and its pattern."""

    reason: str
    marks: tuple[str, ...]
    pattern: str


_SECRET_KEY_MARKS = ("sk-", "sk_", "rk-", "rk_", "pk-", "pk_")

# Lengths are the documented ones where the vendor fixes them; where a vendor reserves the right to grow
# (GitHub, OpenAI, GitLab, Slack) only the lower bound is kept.
VENDOR_SHAPES = (
    VendorShape("api_key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}(?![0-9A-Za-z])"),
    VendorShape("token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    VendorShape("token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    VendorShape(
        "token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-", "glagent-"),
        r"gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent)-[\w-]{20,300}",
    ),
    VendorShape(
        "token",
        ("xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
        r"xox[abeoprs]-(?=[\w-]{0,20}\d)[\w-]{10,300}",
    ),
    VendorShape("token", ("xoxe.xox", "xapp-"), r"(?:xoxe\.xox[bp]|xapp)-\d-[\w-]{10,300}"),
    VendorShape(
        "webhook_url",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9]{6,40}/[A-Za-z0-9]{6,40}/[A-Za-z0-9/]{16,120}",
    ),
    VendorShape(
        "webhook_url",
        ("/api/webhooks/",),
        r"(?:discord|discordapp)\.com/api/webhooks/\d{15,22}/[\w-]{30,120}",
    ),
    VendorShape("webhook_url", (".webhook.office.com/",), r"\w{1,60}\.webhook\.office\.com/\S{40,400}"),
    VendorShape("token", (":AA",), r"\d{8,10}:AA[\w-]{32,40}(?![\w-])"),
    VendorShape(
        "token",
        ("M", "N", "O"),
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])",
    ),
    VendorShape(
        "api_key",
        _SECRET_KEY_MARKS,
        r"(?:sk|rk|pk)[-_](?:live|test|prod|ant|proj|svcacct|admin|or)[-_](?!(?:your|my|the|x{4}|X{4}))"
        r"(?:[\w-]{0,12}[-_])?[A-Za-z0-9]{16,250}[\w-]{0,250}",
    ),
    VendorShape(
        "api_key",
        _SECRET_KEY_MARKS,
        r"(?:sk|rk|pk)[-_](?:[A-Za-z0-9]{1,12}[-_]){0,3}(?=[A-Za-z]{0,40}\d|[A-Za-z]{24})(?!x{6}|X{6})"
        r"[A-Za-z0-9]{16,250}[\w-]{0,250}",
    ),
    VendorShape("api_key", _SECRET_KEY_MARKS, r"(?:sk|rk|pk)[-_](?P<body>[\w-]{20,250})"),
    VendorShape("api_key", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{24,120}"),
    VendorShape("api_key", ("gsk_",), r"gsk_[A-Za-z0-9]{40,80}"),
    VendorShape("api_key", ("xai-",), r"xai-[A-Za-z0-9]{60,120}"),
    VendorShape("api_key", ("pplx-",), r"pplx-[A-Za-z0-9]{40,80}"),
    VendorShape("api_key", ("r8_",), r"r8_[A-Za-z0-9]{37}(?![A-Za-z0-9])"),
    VendorShape("api_key", ("hf_", "api_org_"), r"(?:hf|api_org)_[A-Za-z0-9]{30,80}"),
    VendorShape("api_key", ("tvly-",), r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{24,80}"),
    VendorShape("api_key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    VendorShape("api_key", ("pcsk_",), r"pcsk_[A-Za-z0-9_]{40,120}"),
    VendorShape("api_key", ("AIza",), r"AIza[\w-]{35}(?![\w-])"),
    VendorShape("client_secret", ("GOCSPX-",), r"GOCSPX-[\w-]{28}(?![\w-])"),
    VendorShape("token", ("ya29.",), r"ya29\.[\w-]{20,2000}"),
    VendorShape("token", ("1//",), r"1//[\w-]{30,250}"),
    VendorShape("token", ("npm_",), r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    VendorShape("token", ("pypi-A",), r"pypi-A[\w-]{40,400}"),
    VendorShape("token", ("rubygems_",), r"rubygems_[0-9a-f]{48}"),
    VendorShape("token", ("cio",), r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    VendorShape("token", ("dckr_pat_", "dckr_oat_"), r"dckr_(?:pat|oat)_[\w-]{24,80}"),
    VendorShape("api_key", ("SG.",), r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    VendorShape("api_key", ("SK",), r"SK[0-9a-f]{32}(?![0-9A-Za-z])"),
    VendorShape("api_key", ("key-",), r"key-[0-9a-f]{32}(?![0-9A-Za-z])"),
    VendorShape("api_key", ("-us",), r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    VendorShape("api_key", ("xkeysib-", "xsmtpsib-"), r"x(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    VendorShape("token", ("shpat_", "shpss_", "shpca_", "shppa_"), r"shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}"),
    VendorShape("token", ("sq0atp-", "sq0csp-", "sq0idp-"), r"sq0(?:atp|csp|idp)-[\w-]{22,43}"),
    VendorShape("token", ("EAAA", "EAAC", "EAAB", "EAAG"), r"EAA[A-Z][\w-]{56,300}"),
    VendorShape("token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[0-9a-f]{64}"),
    VendorShape("api_key", ("NRAK-", "NRII-", "NRJS-"), r"NR(?:AK|II|JS)-[A-Za-z0-9-]{19,42}"),
    VendorShape("token", ("glsa_", "glc_"), r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/=]{32,400})"),
    VendorShape("token", ("sntrys_", "sntryu_"), r"sntry[su]_[A-Za-z0-9+/=_]{40,400}"),
    VendorShape("api_key", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}"),
    VendorShape("token", ("secret_", "ntn_"), r"(?:secret|ntn)_[A-Za-z0-9]{40,60}(?![A-Za-z0-9])"),
    VendorShape("token", ("figd_",), r"figd_[\w-]{36,60}"),
    VendorShape("api_key", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    VendorShape("token", ("pat",), r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    VendorShape("token", ("ATATT3", "ATCTT3", "ATBB"), r"(?:AT[AC]TT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{32})"),
    VendorShape("token", ("dapi",), r"dapi[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])"),
    VendorShape("token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{24,300}"),
    VendorShape("token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    VendorShape("token", ("dp.",), r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}"),
    VendorShape("token", ("pul-",), r"pul-[0-9a-f]{40}"),
    VendorShape("token", ("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,80}"),
    VendorShape("token", ("sbp_", "sb_secret_"), r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{24,60})"),
    VendorShape("token", ("nfp_", "vcp_", "rnd_"), r"(?:nfp|vcp|rnd)_[A-Za-z0-9]{24,60}"),
    VendorShape("token", ("fm1r_", "fm2_", "fo1_"), r"(?:fm1r|fm2|fo1)_[\w+/=-]{40,800}"),
    VendorShape("token", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}"),
    VendorShape("api_key", ("phc_", "phx_"), r"ph[cx]_[A-Za-z0-9]{40,60}"),
    VendorShape("api_key", ("AAAA",), r"AAAA[\w-]{7}:[\w-]{140}"),
    VendorShape("token", ("AAAAAAAAAAAAAAAAAAAA",), r"A{20,22}[A-Za-z0-9%]{60,120}"),
    VendorShape("token", ("tskey-",), r"tskey-[a-z]{2,8}-[\w-]{16,80}"),
    VendorShape("token", ("ops_",), r"ops_eyJ[\w-]{60,2000}"),
    VendorShape("private_key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    VendorShape("private_key", ("xprv",), r"xprv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    VendorShape(
        "token",
        ("eyJ",),
        r"(?<![\w-])eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}+",
    ),
    VendorShape("token", ("eyJ",), r"(?<![\w-])eyJ[\w-]{16,}+\.[\w-]{0,}+\.[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{8,}+"),
    # What no vendor here publishes still says what it is in front of its value: acme_live_, nvapi-, corp-token-.
    VendorShape(
        "api_key",
        tuple(
            word + joint for word in ("api", "key", "token", "secret", "live", "prod", "pat", "auth") for joint in "-_"
        ),
        r"(?:[A-Za-z0-9]{1,16}[-_]){0,3}[A-Za-z0-9]{0,12}(?:api|key|token|secret|live|prod|pat|auth)[-_]"
        r"(?=[^A-Z\s]{0,60}[A-Z])(?=[^a-z\s]{0,60}[a-z])(?P<body>[\w-]{20,250})",
    ),
    VendorShape("signed_url", ("sig=",), r"(?<=[?&])sig=[A-Za-z0-9%+/=_-]{20,200}"),
    VendorShape("signed_url", ("-Signature=",), r"X-(?:Amz|Goog)-Signature=[0-9a-f]{40,600}"),
    VendorShape(
        "connection_string",
        ("AccountKey=", "SharedAccessKey=", "accountkey=", "sharedaccesskey="),
        r"(?i:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{20,120}={0,2}",
    ),
)


@cache
def compiled_shape(index: int) -> re.Pattern[str]:
    """The pattern of one row, compiled on first need; it may not start in the middle of a longer word."""
    return re.compile(rf"(?<![A-Za-z0-9]){VENDOR_SHAPES[index].pattern}", re.ASCII)


def find_vendor_credentials(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans and reasons of everything in `text` that has a vendor's published shape."""
    for index, shape in enumerate(VENDOR_SHAPES):
        if any(mark in text for mark in shape.marks):
            for match in compiled_shape(index).finditer(text):
                if "body" in match.re.groupindex and not looks_generated(match["body"]):
                    continue
                yield match.start(), match.end(), shape.reason
