"""Runs against a service: BASE_URL, and TOKEN of an API token with all scopes in an environment of its own."""

import datetime
import http.client
import itertools
import json
import os
import pickle
import re
import socket
import ssl
import threading
import time
import traceback
import unittest
import urllib.parse
import uuid

from user_groups import UserGroupsClient, UserGroupsError

BASE_URL = os.environ["BASE_URL"]
TOKEN = os.environ["TOKEN"]
PLACE = urllib.parse.urlsplit(BASE_URL)


def new_id(hint="group"):
    return f"{hint} ünïcode/{uuid.uuid4()}"


def client_of(**options):
    return UserGroupsClient(**{"base_url": BASE_URL, "api_token": TOKEN, **options})


class Losing(http.client.HTTPConnection):
    """A connection that loses answers: the service has done what it was asked."""

    left = 0

    def getresponse(self):
        response = super().getresponse()
        if Losing.left == 0:
            return response
        Losing.left -= 1
        response.read()
        raise ConnectionResetError("lost")


def losing(timeout):
    return Losing(PLACE.hostname, PLACE.port, timeout=timeout)


def receive(connection):
    """A whole request: a connection closed before it was read loses its answer too."""
    stream, head = connection.makefile("rb"), b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            raise EOFError
        head += line
    return head + stream.read(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))


class Server:
    """A listener that does to each connection what it is told."""

    def __init__(self, handle):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.accepted = 0
        self._handle = handle
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()


class ClientTest(unittest.TestCase):
    def error_of(self, call):
        with self.assertRaises(UserGroupsError) as caught:
            call()
        return caught.exception

    def assert_code(self, code, call):
        self.assertEqual(self.error_of(call).code, code)

    def test_gets_or_creates_updates_rotates_and_identifies(self):
        client, group_id = client_of(), new_id()
        created = client.get_or_create(group_id, name="Acme", mapping={"40": "213"}, properties={"plan": "pro"})
        self.assertEqual(
            created,
            {
                **{"success": 1, "new_user_group": True, "etag": created["etag"]},
                "user_group": {
                    **{"team_id": created["user_group"]["team_id"], "token": created["user_group"]["token"]},
                    **{"name": "Acme", "provided_id": group_id, "properties": {"plan": "pro"}},
                },
            },
        )
        self.assertFalse(client.get_or_create(group_id)["new_user_group"])
        self.assertEqual(client.update(group_id, name="Other")["user_group"]["properties"], {"plan": "pro"})
        self.assertIsNone(client.update(group_id, properties=None)["user_group"]["properties"])
        token = created["user_group"]["token"]
        rotated = client.rotate(token)["user_group"]["token"]
        self.assertNotEqual(rotated, token)
        viewer = client.viewer(rotated, strict=True)
        self.assertEqual(viewer["user_group"]["mapping"], {"40": "213"})
        self.assertEqual(client.viewer(token), {"success": 1, "active": False})

    def test_merges_upserts_and_refuses_stale_etags(self):
        client, group_id = client_of(), new_id()
        created = client.upsert(group_id, properties={"plan": "pro", "seats": 1})
        self.assertEqual((created["new_user_group"], created["changed"]), (True, True))
        merged = client.merge(group_id, properties={"seats": None, "region": "eu"})
        self.assertEqual(merged["user_group"]["properties"], {"plan": "pro", "region": "eu"})
        self.assertFalse(client.upsert(group_id, properties={"region": "eu"})["changed"])
        stale = created["etag"]
        for change in (
            lambda: client.update(group_id, name="Late", if_match=stale),
            lambda: client.merge(group_id, name="Late", if_match=stale),
            lambda: client.suspend(group_id, if_match=stale),
            lambda: client.delete(group_id, if_match=stale),
            lambda: client.replace_token(group_id, if_match=stale),
        ):
            self.assert_code("stale", change)
        renamed = client.update(group_id, name="In time", if_match=merged["etag"])
        self.assertEqual(renamed["user_group"]["name"], "In time")

    def test_mints_and_ends_viewer_tokens(self):
        client, group_id = client_of(), new_id()
        token = client.get_or_create(group_id, properties={"plan": "pro"})["user_group"]["token"]
        minted = client.mint_viewer_token(group_id, viewer="u", expires_in=120, variables={"page": 1})
        shown = client.viewer(minted["viewer_token"])["viewer_token"]
        self.assertEqual((shown["viewer"], shown["variables"]), ("u", {"page": 1}))
        self.assertEqual(shown["expires_at"], minted["expires_at"])
        self.assertTrue(client.viewer(client.mint_viewer_token(token=token)["viewer_token"])["active"])
        since = client.revocations()["next_since"]
        ended = client.end_views(group_id)
        self.assertIn({"team_id": ended["team_id"], "gen": 2}, list(client.iterate_revocations(since)))
        self.assertEqual(client.viewer(minted["viewer_token"])["reason"], "revoked")
        person = client.mint_viewer_token(group_id, viewer={"id": "u", "name": "U"}, content=["sales"])
        self.assertEqual(client.viewer(person["viewer_token"])["viewer_token"]["content"], ["sales"])
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        blocked = client.end_viewer(group_id, "u", blocked_until=later.isoformat())
        revoked = {name: blocked[name] for name in ("team_id", "viewer_key", "before")}
        self.assertIn(revoked, list(client.iterate_revocations(since)))
        self.assert_code("viewer_ended", lambda: client.mint_viewer_token(group_id, viewer="u"))
        self.assert_code("unknown_token", lambda: client.mint_viewer_token(token="ugt_none"))

    def test_suspends_ends_deletes_restores_and_erases(self):
        client, group_id = client_of(), new_id()
        group = client.get_or_create(group_id)["user_group"]
        token, team_id = group["token"], group["team_id"]
        self.assertEqual(client.suspend(group_id, reason="Invoice")["user_group"]["state"], "suspended")
        self.assertEqual(client.viewer(token), {"success": 1, "active": False, "reason": "suspended"})
        self.assertEqual(client.resume(group_id)["user_group"]["state"], "active")
        client.merge(group_id, access_ends_at=datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc))
        self.assertEqual(client.viewer(token)["reason"], "ended")
        client.merge(group_id, access_ends_at=None)
        with self.assertRaises(ValueError):
            client.merge(group_id, access_ends_at=datetime.datetime(2020, 1, 1))
        self.assertEqual(client.delete(group_id, current_token=token), {"success": 1})
        self.assertEqual([one["team_id"] for one in client.iterate_deleted(user_group_id=group_id)], [team_id])
        again = client.get_or_create(group_id)["user_group"]["team_id"]
        self.assert_code("conflict", lambda: client.restore(group_id))
        restored = client.restore(group_id, team_id=team_id, replace=True)
        self.assertEqual((restored["user_group"]["team_id"], restored.get("issues")), (team_id, None))
        self.assertTrue(client.viewer(token)["active"])
        self.assert_code("conflict", lambda: client.purge(team_id))
        self.assertEqual(client.purge(again), {"success": 1})

    def test_shows_replaces_and_traces_tokens(self):
        client = client_of()
        group = client.get_or_create(new_id())["user_group"]
        team_id = group["team_id"]
        shown = client.token(team_id=team_id, purpose="copy")
        self.assertEqual(shown["user_group"]["token"], group["token"])
        replaced = client.replace_token(team_id=team_id, if_match=shown["etag"])
        self.assertEqual(client.find_by_token(f"token={replaced['user_group']['token']}")["found"], "current")
        self.assertEqual(client.find_by_token(group["token"])["found"], "rotated")

    def test_renames_a_group(self):
        client, old, new = client_of(), new_id(), new_id()
        token = client.get_or_create(old)["user_group"]["token"]
        renamed = client.merge(old, new_user_group_id=new, name="Renamed")["user_group"]
        self.assertEqual((renamed["provided_id"], renamed["name"], renamed["token"]), (new, "Renamed", token))
        self.assert_code("renamed", lambda: client.get_or_create(old))

    def test_replaces_its_api_token(self):
        replaced = client_of().replace_api_token(3600)
        self.assertIsNone(replaced["expires_at"])
        group_id = new_id()
        token = client_of(api_token=replaced["api_token"]).get_or_create(group_id)["user_group"]["token"]
        self.assertEqual(client_of().mint_viewer_token(group_id, typ="JWT")["success"], 1)
        self.assertTrue(client_of().viewer(token)["active"])
        self.assert_code("conflict", lambda: client_of().replace_api_token(3600))

    def test_rotates_with_an_overlap_and_ends_it(self):
        client, group_id = client_of(), new_id()
        token = client.get_or_create(group_id)["user_group"]["token"]
        rotated = client.rotate(token, overlap_seconds=60)
        until = rotated["previous_token_valid_until"]
        self.assertEqual(client.rotate(token, overlap_seconds=60)["user_group"], rotated["user_group"])
        viewer = client.viewer(token)
        self.assertEqual((viewer["token_state"], viewer["valid_until"]), ("previous", until))
        (listed,) = client.list(user_group_id=[group_id])["user_groups"]
        self.assertEqual(listed["previous_token"], {"valid_until": until, "last_used_at": None})
        self.assert_code("overlap_running", lambda: client.replace_token(group_id, overlap_seconds=60))
        self.assertTrue(client.end_overlap(group_id)["overlap_ended"])
        self.assertFalse(client.end_overlap(group_id)["overlap_ended"])
        (result,) = client.batch("rotate", [{"user_group_id": group_id}], overlap_seconds=60)["results"]
        self.assertEqual(result["outcome"], "rotated")
        self.assertIn("previous_token_valid_until", result)

    def test_walks_through_everything_or_the_named_ids(self):
        client, mark = client_of(), uuid.uuid4().hex
        ids = [f"{mark} {n:03}/ü" for n in range(230)]
        rows = [{"user_group_id": one, "properties": {"even": n % 2 == 0}} for n, one in enumerate(ids)]
        outcomes = [one["outcome"] for one in client.batch("create", rows)["results"]]
        self.assertEqual(outcomes, ["created"] * len(ids))
        every = list(client.iterate(search=mark, limit=100))
        self.assertEqual([one["provided_id"] for one in every], ids)
        long = [f"{n} " + "ü" * 250 for n in range(50)]
        named = [one["provided_id"] for one in client.iterate(user_group_id=[*ids, *long, "nobody"])]
        self.assertEqual(sorted(named), ids)
        self.assertEqual(len(list(client.iterate(team_id=[one["team_id"] for one in every]))), len(ids))
        self.assertEqual(list(client.iterate(user_group_id=[])), [])
        for ask in (client.list, client.usage, client.usage_by_group):
            with self.assertRaises(ValueError):
                ask(team_id=[])
        with self.assertRaises(ValueError):
            list(client.iterate(user_group_id=ids[:1], team_id=[]))
        (one,) = client.list(user_group_id=iter(ids[:1]))["user_groups"]
        self.assertEqual(one["provided_id"], ids[0])
        with self.assertRaises(TypeError):
            client.list(user_group_id="abc")
        even = {"search": mark, "filter": ["even:is:true"]}
        self.assertEqual(client.list(**even, limit=1)["total"], 115)
        self.assertEqual([json.loads(line)["user_group_id"] for line in client.export(**even)], ids[::2])
        for line in client.export(search=mark):
            self.assertEqual(json.loads(line)["user_group_id"], ids[0])
            break
        history = client.iterate_history(team_id=every[0]["team_id"], limit=1)
        self.assertEqual([entry["action"] for entry in history], ["user_group.created"])
        self.assertEqual(len(client.usage(from_="2026-11-20", to="2026-11-21")["days"]), 2)
        numbers = [group["team_id"] for group in every[:3]]
        used = client.usage_by_group(team_id=numbers)["user_groups"]
        self.assertEqual([group["team_id"] for group in used], numbers)

    def test_follows_events_from_a_cursor(self):
        client, ids = client_of(), [new_id() for _ in range(3)]
        # Other clients' open transactions can hold back the events of earlier tests.
        mark, feed = new_id(), client.iterate_events(client.events("latest")["next_cursor"], wait=10)
        client.get_or_create(mark)
        next(event for event in feed if event["data"]["provided_id"] == mark)
        start = feed.cursor
        self.assertEqual(client_of(deadline=0.5).events(start, wait=1)["events"], [])
        for group_id in ids:
            client.get_or_create(group_id, properties={"plan": "pro"})
        first = client.iterate_events(start, types=["user_group.*"], limit=1, wait=10, include="states")
        event = next(iter(first))
        self.assertEqual((event["type"], event["data"]["provided_id"]), ("user_group.created", ids[0]))
        self.assertEqual((event["data"]["before"], event["data"]["after"]["properties"]), (None, {"plan": "pro"}))
        # The first answer is lost, and asked for again.
        Losing.left = 1
        rest = client_of(connect=losing).iterate_events(first.cursor, limit=1, wait=10)
        events = list(itertools.islice(rest, 2))
        self.assertEqual([event["data"]["provided_id"] for event in events], ids[1:])
        client.update(ids[2], name="Renamed")
        changed = next(iter(client.iterate_events(rest.cursor, wait=10)))
        self.assertEqual((changed["type"], changed["data"]["changed"]), ("user_group.updated", ["name"]))
        ending = client.iterate_events(rest.cursor)
        self.assertEqual(list(ending), [changed])
        self.assertEqual(list(client.iterate_events(ending.cursor)), [])

    def test_reports_when_the_event_at_a_cursor_is_gone(self):
        refusal = {"code": "cursor_gone", "message": "The event at this cursor is gone.", "request_id": "x"}
        body = json.dumps({"success": 0, "error": refusal}).encode()

        def gone(connection):
            connection.recv(1_000_000)
            connection.sendall(b"HTTP/1.1 410 Gone\r\nConnection: close\r\n\r\n" + body)
            connection.close()

        with Server(gone) as server:
            error = self.error_of(lambda: list(client_of(base_url=server.url).iterate_events("x")))
        self.assertEqual((error.code, error.status, str(error)), ("cursor_gone", 410, refusal["message"]))
        self.assertEqual(server.accepted, 1)

    def test_returns_the_outcome_of_each_group_of_a_batch(self):
        client, one, two = client_of(), new_id(), new_id()
        rows = [{"user_group_id": one}, {"user_group_id": two, "name": "x" * 256}]
        dry = client.batch("upsert", rows, dry_run=True)
        self.assertEqual([result["outcome"] for result in dry["results"]], ["created", "error"])
        key = new_id("key").replace("ünïcode/", "").replace(" ", "-")
        first = client.batch("upsert", rows, idempotency_key=key)
        self.assertEqual(first["results"][1]["error"]["issues"][0]["path"], ["user_groups", 1, "name"])
        self.assertEqual(client.batch("upsert", rows, idempotency_key=key), first)

    def test_retries_a_batch_with_its_key_while_groups_are_unavailable(self):
        done = {"user_group_id": "a", "outcome": "created"}
        undone = {"user_group_id": "b", "outcome": "error", "error": {"code": "unavailable", "message": "Not done."}}
        refused = {"user_group_id": "c", "outcome": "error", "error": {"code": "invalid_fields", "message": "Odd."}}
        keys = []

        def batches(*answers):
            left = list(answers)

            def handle(connection):
                text = receive(connection).decode()
                keys.append([line for line in text.split("\r\n") if line.lower().startswith("idempotency-key")])
                status, body = left.pop(0)
                connection.sendall(f"HTTP/1.1 {status} X\r\nConnection: close\r\n\r\n{json.dumps(body)}".encode())
                connection.close()

            return handle

        partly = (200, {"success": 1, "results": [done, undone, refused]})
        whole = (200, {"success": 1, "results": [done, done, refused]})
        away = (503, {"success": 0, "error": {"code": "unavailable", "message": "Away.", "request_id": "x"}})
        for answers, asked, expected in (
            ((partly, away, whole), 3, whole),
            ((partly, partly), 2, partly),
            ((partly, away), 2, partly),
        ):
            keys.clear()
            with Server(batches(*answers)) as server:
                client = client_of(base_url=server.url, retries=asked - 1)
                self.assertEqual(client.batch("upsert", [{"user_group_id": "a"}]), expected[1])
            self.assertEqual(len(keys), asked)
            self.assertEqual([len(key) for key in keys], [1] * asked)
            self.assertTrue(all(key == keys[0] for key in keys))

    def test_sends_files_in_pieces(self):
        client, mark = client_of(), uuid.uuid4().hex
        lines = [json.dumps({"user_group_id": f"{mark} {n}", "name": "x" * 120}) for n in range(1_200)]
        file = "\n".join([*lines, '{"user_group_id":""}', ""])
        self.assertGreater(len(file), 180_000)
        checked = client.jobs.upload(file, "customers.jsonl")["job"]
        self.assertEqual((checked["state"], checked["planned"]["create"], checked["planned"]["error"]), ("checked", 1_200, 1))
        self.assertIn("must not be empty", client.jobs.failed(checked["id"]))
        client.jobs.apply(checked["id"])
        ended = client.jobs.wait(checked["id"])["job"]
        self.assertEqual((ended["state"], ended["done"]["created"]), ("done", 1_200))
        self.assertEqual(len(list(client.jobs.iterate_rows(checked["id"], outcome="created"))), 1_200)
        other = client.jobs.create("other.csv", 10)["job"]["id"]
        self.assertEqual(client.jobs.cancel(other)["job"]["state"], "cancelled")
        self.assertEqual(client.jobs.list()["jobs"][0]["id"], other)
        change = json.dumps({"user_group_id": f"{mark} 0", "name": "New"})
        changing = client.jobs.upload(change, "one.jsonl")["job"]["id"]
        client.jobs.apply(changing)
        self.assertEqual(client.jobs.wait(changing)["job"]["done"]["changed"], 1)
        undoing = client.jobs.wait(client.jobs.undo(changing)["job"]["id"])["job"]
        self.assertEqual((undoing["state"], undoing["undoes"], undoing["planned"]["change"]), ("checked", changing, 1))

    def test_errors_explain_what_to_do(self):
        client = client_of()
        error = self.error_of(lambda: client.get_or_create("", name=" "))
        self.assertEqual((error.code, error.status), ("invalid_fields", 422))
        self.assertEqual([issue["path"] for issue in error.issues], [["user_group_id"], ["name"]])
        self.assertRegex(error.request_id, r"^[0-9a-f-]{36}$")
        unpickled = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(unpickled), vars(unpickled)), (str(error), vars(error)))
        self.assert_code("unknown_user_group", lambda: client.update(new_id()))
        self.assert_code("unauthorized", lambda: client_of(api_token="wrong").list())
        self.assert_code("unexpected_answer", lambda: client_of(base_url=f"{BASE_URL}/nowhere/").list())
        self.assert_code("unauthorized", lambda: next(client_of(api_token="wrong").export()))
        for number in (float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                client.get_or_create("x", properties={"number": number})
        for base_url in ("", "groups.example.com", "ftp://a", "https://user:secret@a", "https://a?b"):
            with self.assertRaisesRegex(ValueError, "^base_url must be the URL of the service"):
                client_of(base_url=base_url)
        with self.assertRaisesRegex(ValueError, "^api_token is empty$"):
            client_of(api_token="")
        for api_token in ("uga_test_secret\r\nX: y", "uga_test_secret é"):
            with self.assertRaisesRegex(ValueError, "^api_token must be visible ASCII characters$"):
                client_of(api_token=api_token)

    def test_retries_safe_calls_when_an_answer_is_lost(self):
        client, group_id = client_of(connect=losing), new_id()
        Losing.left = 1
        created = client.get_or_create(group_id)
        self.assertFalse(created["new_user_group"])
        token = created["user_group"]["token"]
        Losing.left = 1
        rotated = client.rotate(token)["user_group"]["token"]
        self.assertEqual(client_of().get_or_create(group_id)["user_group"]["token"], rotated)
        entries = client_of().iterate_history(user_group_id=group_id, action=["user_group.token_rotated"])
        self.assertEqual(len(list(entries)), 1)
        Losing.left = 1
        self.assertEqual(client.merge(group_id, name="Again")["user_group"]["name"], "Again")

    def test_sends_unsafe_calls_once(self):
        client, group_id = client_of(connect=losing), new_id()
        etag = client.get_or_create(group_id)["etag"]
        Losing.left = 1
        self.assert_code("unreachable", lambda: client.update(group_id, name="New", if_match=etag))
        Losing.left = 1
        new_group_id = new_id()
        self.assert_code("unreachable", lambda: client.merge(group_id, new_user_group_id=new_group_id))
        Losing.left = 1
        self.assert_code("unreachable", lambda: client.delete(new_group_id))
        self.assertEqual(list(client.iterate(user_group_id=[group_id, new_group_id])), [])

    def test_all_attempts_end_with_the_deadline(self):
        with Server(lambda connection: connection.recv(1_000_000)) as silent:
            # The connections stay open, so that only the client can end this.
            client = client_of(base_url=silent.url, deadline=0.6, timeout=0.1, retries=1_000_000)
            self.assert_code("timed_out", client.list)
            self.assertGreater(silent.accepted, 1)
            once = client.with_options(retries=0, timeout=None)
            before = silent.accepted
            self.assert_code("timed_out", lambda: once.rotate("ugt_a"))
            self.assertEqual(silent.accepted, before + 1)

        def drip(header):
            def handle(connection):
                connection.recv(1_000_000)
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + header + b"\r\n\r\n")
                try:
                    while True:
                        connection.sendall(b" ")
                        threading.Event().wait(0.02)
                except OSError:
                    pass

            return handle

        # The end of the connection ends an answer without a length: http.client lets go of its socket early.
        for header in (b"Content-Length: 1000000", b"Connection: close"):
            with Server(drip(header)) as dripping:
                self.assert_code("timed_out", client_of(base_url=dripping.url, deadline=0.3, retries=0).list)
        closed = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        closed.close()
        error = self.error_of(client_of(base_url=url, retries=1).list)
        self.assertEqual(error.code, "unreachable")
        self.assertIn(f"at {url[7:]}: ", str(error))
        self.assertIn("refused", str(error))

    def test_an_interrupted_export_is_an_error(self):
        chunked = b'Transfer-Encoding: chunked\r\n\r\n6\r\n{}\n{"a\r\n'
        for answer in (chunked, chunked + b"0\r\n\r\n", b"Content-Length: 1000\r\n\r\n{}\n"):

            def cut(connection, answer=answer):
                connection.recv(1_000_000)
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + answer)
                connection.close()

            with Server(cut) as server:
                lines = client_of(base_url=server.url).export()
                self.assertEqual(next(lines), "{}")
                self.assert_code("unreachable", lambda: next(lines))

    def test_an_export_may_be_silent_for_longer_than_its_deadline(self):
        def search(connection):
            connection.recv(1_000_000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
            time.sleep(0.5)
            connection.sendall(b"{}\n")
            connection.close()

        with Server(search) as server:
            self.assertEqual(list(client_of(base_url=server.url, deadline=0.4).export()), ["{}"])

    def test_endless_answers_are_read_within_bounds(self):
        def flood(status, header=b"Connection: close"):
            def handle(connection):
                connection.recv(1_000_000)
                connection.sendall(b"HTTP/1.1 " + status + b"\r\n" + header + b"\r\n\r\n")
                try:
                    for _ in range(400):
                        connection.sendall(b" " * 1_000_000)
                except OSError:
                    pass
                finally:
                    connection.close()

            return handle

        for status in (b"200 OK", b"500 Error"):
            for header in (b"Connection: close", b"Content-Length: 1000000000000"):
                for call in (
                    lambda client: client.list(),
                    lambda client: client.jobs.failed(1),
                    lambda client: next(client.export()),
                ):
                    with Server(flood(status, header)) as server:
                        client = client_of(base_url=server.url, deadline=60, retries=0)
                        self.assert_code("unexpected_answer", lambda: call(client))

    def test_an_interrupted_answer_is_an_error(self):
        def cut(connection):
            connection.recv(1_000_000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{}")
            connection.close()

        with Server(cut) as server:
            self.assert_code("unreachable", client_of(base_url=server.url, retries=0).list)

    def test_no_error_shows_a_token(self):
        client = client_of(retries=0)
        token = client.get_or_create(new_id())["user_group"]["token"]
        client.rotate(token)
        closed = client_of(base_url="http://127.0.0.1:1", retries=0)
        for call in (lambda: client.rotate(token), lambda: client.update(""), lambda: closed.rotate(token)):
            error = self.error_of(call)
            printed = "".join(traceback.format_exception(type(error), error, error.__traceback__)) + repr(vars(error))
            self.assertNotIn(token, printed)
            self.assertNotIn(TOKEN, printed)
        self.assertNotIn(TOKEN, repr(client) + str(client))

    def test_speaks_tls(self):
        # A certificate is asked for: a service without one is not reached.
        with Server(lambda connection: connection.close()) as server:
            secure = client_of(base_url=server.url.replace("http:", "https:"), retries=0)
            error = self.error_of(secure.list)
            self.assertEqual(error.code, "unreachable")
            self.assertIsInstance(error.__cause__, (ssl.SSLError, ConnectionError))


if __name__ == "__main__":
    unittest.main()
