# SPDX-License-Identifier: GPL-2.0-or-later
"""
TCP connections, one after another: serve ADDRESS PORT N [abort|late], or connect ADDRESS PORT N BYTES. The client sends
BYTES of each connection, awaits as many, and closes; prints how many connected. The server sends back what comes, or,
to abort, resets the connection after the first byte, or, late, sends a byte when the client has closed. It fails if no
client connects for 60 s: a client that has ended makes no further connections.
"""
import socket
import struct
import sys
import time

what, address, port, n = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
family = socket.AF_INET6 if ":" in address else socket.AF_INET


def serve(how):
    with socket.create_server((address, port), family=family) as listener:
        listener.settimeout(60)
        print("listening", flush=True)
        for _ in range(n):
            with listener.accept()[0] as s:
                if how == "abort":
                    s.recv(1)
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    continue
                while data := s.recv(65536):
                    s.sendall(data)
                if how == "late":
                    time.sleep(0.2)  # the client has the acknowledgement of its FIN by then
                    s.sendall(b"x")


def connect(size):
    connected = 0
    for _ in range(n):
        with socket.socket(family) as s:
            if s.connect_ex((address, port)):
                continue
            connected += 1
            try:
                s.sendall(bytes(size))
                left = size
                while left and (data := s.recv(65536)):
                    left -= len(data)
            except ConnectionError:
                pass
    print(connected)


if what == "serve":
    serve(sys.argv[5] if len(sys.argv) > 5 else "")
else:
    connect(int(sys.argv[5]))
