# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of zil share; they start with `. ./common.zil`.

# shellcheck source=common
. ./common

# _zil KERNEL SWITCH: lab/zil there. As it takes log devices away under load, ZFS before 2.3.4 dies
# once in many times of a fault of its own (openzfs issue 17509, mended by pull request
# 17521, "ZIL: Force writing of open LWB on suspend"): then once more.
_zil()
{
	for _try in 1 2 3; do
		lab/run --kernel "$1" --zfs -- lab/zil "$2" >"$tmp/out" 2>"$tmp/err"
		status=$?
		cat "$tmp/err" >>"$full"
		if [ $status -ne 125 ] || ! grep -q 'PANIC at zil.c:[0-9]*:zil_free_lwb' "$tmp/err"; then
			break
		fi
	done
	cat "$tmp/out"
}
