# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Situations of iSCSI, see machine: target and initiator are one machine
# shellcheck disable=SC2016,SC2034,SC2154 # text of shells in quotes; the variables of machine

modules=iscsi
target=iqn.2026-11.lab:target

_set_up_set()
{
	modprobe -a target_core_iblock iscsi_target_mod
	_initiator iqn.2026-11.lab:host
}

_tear_down_set()
{
	tc qdisc del dev lo root 2>/dev/null
	_until _no_mounts
	_log_out $target
	_drop_target $target
	rmdir "$_core/iblock_0/store"
}

# _lun MILLISECONDS: a disk of that speed becomes a LUN, and the LUN a disk; ext4 is on it
_lun()
{
	_disk vdb 256 "$1"
	_backstore store /dev/vdb
	_target $target store
	_log_in $target default
	_disk_of $target 0
	_fs ext4 "$_disk" /mnt/data
	_file /mnt/data/file 64
}

iscsi_slow_backstore()
{
	_lun 50
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=4
}

iscsi_slow_network()
{
	_lun 0.1
	tc qdisc add dev lo root netem delay 40ms limit 100000 || _fail "no netem"
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=4
}

iscsi_initiator_slow_target()
{
	omit="iscsi|iscsi\..*"
	_lun 0.1
	tc qdisc add dev lo root netem delay 40ms limit 100000 || _fail "no netem"
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randwrite --direct=1 --numjobs=4
}

iscsi_healthy()
{
	_lun 0
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randrw --direct=1 --thinktime=3s
}
