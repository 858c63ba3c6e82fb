"""The mail server of `SmtpServer`: takes each message into a file, or misbehaves as its recipient's name says.

refused@   is no recipient
hostile@   is one, and the message is refused
cut@       the message is taken, and the connection cut before the answer
lost@      the connection is cut before the answer, and the message thrown away
slow@      the message is taken, and no answer comes
filed@     the server puts what it takes into its sender's Sent, as some do
"""

import asyncio
import base64
import imaplib
import json
import os
import ssl
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

from aiosmtpd.smtp import SMTP, AuthResult

folder, certificate, key, way, password, lookup, imap = sys.argv[1:8]


class Handler:
    def __init__(self):
        self.count = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return "550 5.1.1 No such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        def has(name):
            return any(address.startswith(name) for address in envelope.rcpt_tos)

        if has("hostile"):
            return "554 5.7.1 Not wanted"
        if has("filed"):
            await asyncio.to_thread(file_into_sent, session.auth_data.login, envelope.content)
        if not has("lost"):
            self.take(envelope)
        if has("cut") or has("lost"):
            server.transport.abort()
        if has("slow"):
            await asyncio.sleep(3600)
        return "250 OK"

    async def auth_XOAUTH2(self, server, args):
        fields = base64.b64decode(args[1]).decode().split("\x01")
        user, token = fields[0].removeprefix("user="), fields[1].removeprefix("auth=Bearer ")
        if await asyncio.to_thread(user_of, token) == user:
            return AuthResult(success=True)
        # The client acknowledges the reason, and the refusal follows.
        said = await server.challenge_auth(json.dumps({"status": "400", "schemes": "Bearer"}))
        return AuthResult(success=False, handled=False, message=None if said == b"" else "501 5.5.2 Unexpected")

    def take(self, envelope):
        self.count += 1
        taken = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "message": envelope.content.decode("utf-8", "replace"),
        }
        name = os.path.join(folder, f"{self.count:06}.json")
        with open(name + ".new", "w", encoding="utf-8") as file:
            json.dump(taken, file)
        os.rename(name + ".new", name)


def file_into_sent(user, message):
    trusting = ssl.create_default_context(cafile=certificate)
    with imaplib.IMAP4_SSL("127.0.0.1", int(imap), ssl_context=trusting) as mailbox:
        mailbox.authenticate("PLAIN", lambda _: b"\0" + user + b"\0" + password.encode())
        mailbox.append("Sent", "(\\Seen)", None, message)


def user_of(token):
    try:
        with urllib.request.urlopen(lookup + urllib.parse.quote(token)) as answer:
            return json.load(answer)["email"]
    except urllib.error.HTTPError:
        return None


def authenticate(server, session, envelope, mechanism, given):
    known = given.password == password.encode()
    # An answer that is not handled here is given by the server.
    return AuthResult(success=known, handled=False, auth_data=given)


async def main():
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    handler = Handler()
    common = {"authenticator": authenticate, "auth_required": True, "enable_SMTPUTF8": True, "hostname": "mx.test"}
    if not lookup:
        common["auth_exclude_mechanism"] = ["XOAUTH2"]

    def connection():
        if way == "starttls":
            return SMTP(handler, tls_context=context, require_starttls=True, **common)
        return SMTP(handler, auth_require_tls=False, **common)

    listening = None if way == "starttls" else context
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", 0, ssl=listening)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def end_with_test():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_test, daemon=True).start()
asyncio.run(main())
