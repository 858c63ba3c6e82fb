"""Prints how many seconds imaplib takes for the list of src-tauri/crates/nova-mail/benches/headers.rs.

Usage: headers.py PORT PASSWORD COUNT
"""

import imaplib
import ssl
import sys
import time

HEADERS = ('(UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (FROM REPLY-TO TO CC SUBJECT DATE '
           'MESSAGE-ID REFERENCES IN-REPLY-TO)])')

port, password, count = sys.argv[1:]
# The certificate is that of the test's own server.
context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE

begin = time.perf_counter()
imap = imaplib.IMAP4_SSL('127.0.0.1', int(port), ssl_context=context)
imap.authenticate('PLAIN', lambda _: f'\0jane\0{password}'.encode())
imap.select('INBOX', readonly=True)
_, answers = imap.fetch(f'1:{count}', HEADERS)
took = time.perf_counter() - begin
headers = [answer for answer in answers if isinstance(answer, tuple)]
assert len(headers) == int(count), len(headers)
imap.logout()
print(took)
