# SPDX-License-Identifier: GPL-2.0-or-later
"""
An initiator of iSCSI that acknowledges no response, so that the target releases no command: unacknowledged.py TARGET
SESSIONS COMMANDS. At 127.0.0.1:3260 each session sends so many commands, TEST UNIT READY, to LUN 0, and reads the
responses. All sessions stay until the last one has ended. Prints the number of responses with the status GOOD.
"""
import socket
import struct
import sys

target, sessions, commands = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
AT_ONCE = 64  # commands; the target takes more at once
GOOD = 0

# all that is negotiated, so that the target proposes nothing itself
KEYS = ("InitiatorName=iqn.2026-11.lab:silent", f"TargetName={target}", "SessionType=Normal", "HeaderDigest=None",
        "DataDigest=None", "MaxConnections=1", "InitialR2T=Yes", "ImmediateData=Yes", "MaxRecvDataSegmentLength=8192",
        "MaxBurstLength=262144", "FirstBurstLength=65536", "DefaultTime2Wait=2", "DefaultTime2Retain=0",
        "MaxOutstandingR2T=1", "DataPDUInOrder=Yes", "DataSequenceInOrder=Yes", "ErrorRecoveryLevel=0")


def receive(s, size):
    data = b""
    while len(data) < size:
        more = s.recv(size - len(data))
        if not more:
            sys.exit("the target has closed the connection")
        data += more
    return data


def receive_pdu(s):
    header = receive(s, 48)
    receive(s, (header[4] * 4 + int.from_bytes(header[5:8], "big") + 3) & ~3)
    return header


def log_in(number):
    """Returns the connection of a new session, and the ExpStatSN that stays."""
    s = socket.create_connection(("127.0.0.1", 3260), timeout=60)
    keys = "".join(key + "\0" for key in KEYS).encode()
    # from the operational stage to the full feature phase; the ISID is 0x80 and the number
    s.sendall(struct.pack("!BBHIBxIHIHHII16x", 0x43, 0x87, 0, len(keys), 0x80, number, 0, 0, 0, 0, 1, 0)
              + keys + bytes(-len(keys) % 4))
    header = receive_pdu(s)
    if header[:2] != b"\x23\x87":
        sys.exit(f"no login: {header.hex()}")
    return s, int.from_bytes(header[24:28], "big") + 1


def send(s, acknowledged):
    """Returns how many commands were GOOD."""
    good = 0
    for first in range(0, commands, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, commands))
        s.sendall(b"".join(struct.pack("!BBHI8xIIII16x", 0x01, 0x81, 0, 0, n + 1, 0, n + 1, acknowledged)
                           for n in numbers))
        left = len(numbers)
        while left:
            header = receive_pdu(s)
            if header[0] == 0x21:  # a response, not the target's ping
                left -= 1
                good += header[3] == GOOD
    return good


connections, total = [], 0
for session in range(sessions):
    connection, stat_sn = log_in(session)
    connections.append(connection)
    total += send(connection, stat_sn)
print(total)
