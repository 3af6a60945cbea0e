# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Situations of NFS, see machine: server and client are one machine. What only the other host could know is not recorded.
# shellcheck disable=SC2016,SC2034,SC2154 # text of shells in quotes; the variables of machine

modules="nfs nfs_client"
server="nfs|nfs\..*"
disks="bio|bio\..*|backend_io|backend_io\..*|writeback|writeback\..*|journal|journal\..*"

_set_up_set()
{
	_nfs_server 8
	mkdir -p /mnt/export /mnt/nfs
	rmdir "${tmp:?}/mnt"
	ln -s /mnt/nfs "$tmp/mnt"
}

_tear_down_set()
{
	tc qdisc del dev lo root 2>/dev/null
	rpc.nfsd 8
	! mountpoint -q /mnt/data || _until umount /mnt/data
	losetup -D
	_until umount /mnt/nfs
	rpc.nfsd 0 # the server has files open
	exportfs -ua
	echo 8 >/proc/fs/nfsd/threads 2>/dev/null
	_until umount /mnt/export
	rpc.nfsd 8
	echo Y >/proc/fs/nfsd/v4_end_grace
}

# _served VERSION MILLISECONDS: export a file system on a disk of that speed, and mount the export
_served()
{
	_disk vdb 256 "$2"
	_fs ext4 vdb /mnt/export
	chmod 777 /mnt/export
	_export /mnt/export
	_nfs_mount "$1" /mnt/export
	_file /mnt/export/file 16
}

# _lag MILLISECONDS: each packet takes so long
_lag()
{
	tc qdisc add dev lo root netem delay "$1ms" limit 100000 || _fail "no netem"
}

nfs_healthy()
{
	_served 4.2 0.1
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randread --direct=1 --thinktime=5s
}

nfs_slow_disk_reads()
{
	_served 4.2 50
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randread --direct=1 --numjobs=4
}

# Reads of the loop device wait for the server; the server's reads wait for the disk.
loop_on_nfs()
{
	_served 4.2 40
	truncate -s 64M /mnt/nfs/image
	losetup /dev/loop0 /mnt/nfs/image
	_fs ext4 loop0 /mnt/data
	_file /mnt/data/file 16
	_fio vm.service --filename=/mnt/data/file --size=16m --rw=randread --direct=1
}

nfs_over_md()
{
	_disk vdb 128
	_disk vdc 128 40
	_md raid0 vdb vdc
	_fs ext4 md0 /mnt/export
	chmod 777 /mnt/export
	_export /mnt/export
	_nfs_mount 3 /mnt/export
	_file /mnt/export/file 32
	_fio web.service --filename=/mnt/nfs/file --size=32m --rw=randread --direct=1 --numjobs=2
}

nfs3_slow_disk_writes()
{
	_served 3 50
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randwrite --direct=1 --numjobs=4
}

nfs_server_slow_disk()
{
	omit="nfs_client|nfs_client\..*"
	_served 4.2 50
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randwrite --direct=1 --numjobs=4
}

nfs_client_slow_server()
{
	omit="$server|$disks"
	_served 4.2 50
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randread --direct=1 --numjobs=4
}

nfs_slow_network()
{
	omit="$server|$disks"
	_served 4.2 0.1
	_lag 40
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randread --direct=1 --numjobs=4
}

nfs_server_stopped()
{
	omit="$server|$disks"
	_served 4.2 0.1
	rpc.nfsd 0
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randread --direct=1 --numjobs=4
}

nfs_one_thread()
{
	_served 3 20
	rpc.nfsd 1
	_fio web.service --filename=/mnt/nfs/file --size=16m --rw=randread --direct=1 --numjobs=16
}
