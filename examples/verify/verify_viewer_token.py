"""Verifies viewer tokens of one environment offline. Needs PyJWT 2.6 or newer with cryptography."""

import http.client
import json
import re
import socket
import sys
import threading
import time
import urllib.parse

import jwt

TOKEN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
MAX_TOKEN_LENGTH = 8_192
MAX_KEYS_LENGTH = 65_536
READ_TIMEOUT = 5
KEYS_AGE = 300
# Tokens with made-up key ids must not cause requests.
PAUSE = 10
CLOCK_SKEW = 60
FAILURES = (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError, RecursionError)
CLAIMS = ["iss", "aud", "sub", "iat", "exp", "jti", "team_id", "gen", "variables"]


class Verifier:
    """Keep one for all requests: it keeps the issuer's public keys."""

    def __init__(self, issuer, audience=None):
        self.issuer = issuer
        self.audience = audience or issuer
        self._keys = {}
        self._fresh_until = self._paused_until = 0.0
        self._lock = threading.Lock()

    def verify(self, token, revoked=lambda key: 0, content=None, allow_unlimited=False):
        """Returns the claims of a valid token, raises jwt.InvalidTokenError for any other.

        revoked gives, from /api/revocations, the lowest valid `gen` of "TEAM_ID", and the second of `before` of
        "TEAM_ID/VIEWER_KEY"; 0 for others. content is what is about to be shown; allow_unlimited accepts a token
        that names no content at all.
        """
        if len(token) > MAX_TOKEN_LENGTH or not TOKEN.fullmatch(token):
            raise jwt.InvalidTokenError("not a viewer token")
        try:
            header = jwt.get_unverified_header(token)
        except RecursionError as error:
            raise jwt.InvalidTokenError("nests too deep") from error
        # The token must not choose how it is verified.
        if header.get("typ") != "viewer+jwt" or header.get("alg") != "ES256" or "crit" in header:
            raise jwt.InvalidTokenError("not a viewer token")
        claims = jwt.decode(
            token,
            self._key(header.get("kid")),
            algorithms=["ES256"],
            issuer=self.issuer,
            audience=self.audience,
            leeway=CLOCK_SKEW,
            options={"require": CLAIMS},
        )
        if type(claims["team_id"]) is not int or type(claims["gen"]) is not int:
            raise jwt.InvalidTokenError("not the claims of a viewer token")
        team = str(claims["team_id"])
        person = f"{team}/{claims.get('viewer_key')}"
        if claims["gen"] < revoked(team) or claims["iat"] <= revoked(person):
            raise jwt.InvalidTokenError("revoked")
        may_show = content in claims["content"] if "content" in claims else allow_unlimited
        if content is not None and not may_show:
            raise jwt.InvalidTokenError("not for this content")
        return claims

    def _key(self, kid):
        if not isinstance(kid, str):
            raise jwt.InvalidTokenError("no key id")
        # Only callers without a key wait while another reads the keys.
        if self._is_due(kid) and self._lock.acquire(blocking=kid not in self._keys):
            try:
                if self._is_due(kid):
                    self._paused_until = time.monotonic() + PAUSE
                    self._read_keys()
            finally:
                self._lock.release()
        key = self._keys.get(kid)
        if key is None:
            raise jwt.InvalidTokenError("unknown key")
        return key

    def _is_due(self, kid):
        now = time.monotonic()
        return (kid not in self._keys or now >= self._fresh_until) and now >= self._paused_until

    def _read_keys(self):
        url = f"{self.issuer}/.well-known/jwks.json"
        try:
            keys = json.loads(_read(url))["keys"]
            own = [key for key in keys if key.get("alg") == "ES256" and key.get("crv") == "P-256"]
            self._keys = {key["kid"]: jwt.PyJWK.from_dict(key).key for key in own}
            self._fresh_until = time.monotonic() + KEYS_AGE
        except (*FAILURES, jwt.PyJWTError) as error:
            # Known keys stay usable while newer ones cannot be read.
            print(f"{url}: {error}", file=sys.stderr)


def _read(url):
    """Reads a document of at most MAX_KEYS_LENGTH bytes in READ_TIMEOUT seconds, and follows no redirect."""
    place = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
    connection = kind(place.hostname, place.port, timeout=READ_TIMEOUT)
    is_late = threading.Event()

    connection.connect()
    # http.client forgets it when the response ends with the connection.
    sock = connection.sock

    def cut():
        is_late.set()
        try:
            # Not the TLS socket's own, which would unset what the other thread is reading from.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            pass

    # The socket's timeout is for each read: a response that drips would never end.
    timer = threading.Timer(READ_TIMEOUT, cut)
    timer.daemon = True
    timer.start()
    try:
        connection.request("GET", place.path)
        response = connection.getresponse()
        text = response.read(MAX_KEYS_LENGTH + 1)
    finally:
        timer.cancel()
        connection.close()
    if is_late.is_set():
        raise TimeoutError(f"no complete response within {READ_TIMEOUT} s")
    if response.status != 200 or len(text) > MAX_KEYS_LENGTH:
        raise ValueError(f"status {response.status}, {len(text)} bytes")
    return text


def main():
    """Reads a token from each line. The pairs are revocations, and content or content?, which allows unlimited."""
    if len(sys.argv) < 3:
        sys.exit("usage: verify_viewer_token.py ISSUER AUDIENCE [KEY=VALUE …]")
    _, issuer, audience, *pairs = sys.argv
    known = dict(pair.split("=", 1) for pair in pairs)
    content = known.get("content", known.get("content?"))

    def revoked(key):
        return int(known.get(key, 0))

    verifier = Verifier(issuer, audience)
    for line in sys.stdin:
        try:
            claims = verifier.verify(line.rstrip("\n"), revoked, content, "content?" in known)
            print("valid", claims["team_id"], claims["sub"])
        except jwt.InvalidTokenError as error:
            print("refused", error)


if __name__ == "__main__":
    main()
