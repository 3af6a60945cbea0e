# SPDX-License-Identifier: GPL-2.0-or-later
"""
ACTION DEVPATH SUBSYSTEM: have the kernel send this uevent to all who listen in this network name space. The kernel
sends on what root sends to it (uevent_net_rcv() in lib/kobject_uevent.c).
"""
import socket
import struct
import sys

NETLINK_KOBJECT_UEVENT = 15
TYPE = 0x10  # the first that is not netlink's own
NLM_F_REQUEST = 1

action, devpath, subsystem = sys.argv[1:]
lines = [f"{action}@{devpath}", f"ACTION={action}", f"DEVPATH={devpath}", f"SUBSYSTEM={subsystem}"]
event = "".join(line + "\0" for line in lines).encode()
header = struct.pack("=IHHII", 16 + len(event), TYPE, NLM_F_REQUEST, 0, 0)
kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_KOBJECT_UEVENT)
kernel.sendto(header + event, (0, 0))
