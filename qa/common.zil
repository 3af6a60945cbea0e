# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of zil share; they start with `. ./common.zil`.

# shellcheck source=common
. ./common

# _zil KERNEL SWITCH: lab/zil there. As it takes log devices away under load, ZFS before 2.3.4 dies,
# or waits for ever, once in many times by a fault of its own (openzfs issue 17509, mended by pull
# request 17521, "ZIL: Force writing of open LWB on suspend"): then once more.
_zil()
{
	for _try in 1 2 3; do
		lab/run --kernel "$1" --zfs --timeout 590 -- lab/zil "$2" >"$tmp/out" 2>"$tmp/err"
		status=$?
		cat "$tmp/err" >>"$full"
		case $status in
		124)	[ "$(tail -n 1 "$tmp/out")" = "== suspended" ] || break ;;
		125)	grep -q 'PANIC at zil.c:[0-9]*:zil_free_lwb' "$tmp/err" || break ;;
		*)	break ;;
		esac
	done
	cat "$tmp/out"
}
