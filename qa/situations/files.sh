# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Situations of file systems on one disk, see machine
# shellcheck disable=SC2016,SC2034,SC2154 # text of shells in quotes; the variables of machine

slow_disk_direct_reads()
{
	_disk vdb 256 50
	_job ext4 vdb 64 db.service --rw=randread --direct=1 --numjobs=4
}

slow_disk_buffered_reads()
{
	_disk vdb 256 50
	_job ext4 vdb 128 web.service --rw=randread --numjobs=4
}

slow_disk_fsyncs()
{
	_disk vdb 256 50
	_job ext4 vdb 16 db.service --rw=randwrite --fsync=1
}

slow_xfs_fsyncs()
{
	_disk vdb 512 50
	_job xfs vdb 16 db.service --rw=randwrite --fsync=1
}

slow_btrfs_reads()
{
	_disk vdb 512 50
	_job btrfs vdb 64 db.service --rw=randread --direct=1 --numjobs=4
}

slow_ext4_journal()
{
	_disk vdb 256
	_disk vdc 64 50
	modprobe ext4
	mkfs.ext4 -q -O journal_dev -b 4096 /dev/vdc
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,nodiscard -J device=/dev/vdc /dev/vdb
	_mount ext4 vdb /mnt/data
	_file /mnt/data/file 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=write --fsync=1 --file_append=1
}

slow_xfs_log()
{
	_disk vdb 512
	_disk vdc 128 50
	modprobe xfs
	mkfs.xfs -q -K -l logdev=/dev/vdc /dev/vdb
	_mount xfs vdb /mnt/data logdev=/dev/vdc
	_file /mnt/data/file 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --fsync=1
}

slow_disk_buffered_writes()
{
	_disk vdb 256 50
	_job ext4 vdb 64 web.service --rw=randwrite --fsync=64
}

slow_xfs_reads()
{
	_disk vdb 512 50
	_job xfs vdb 64 db.service --rw=randread --direct=1 --numjobs=4
}

slow_btrfs_fsyncs()
{
	_disk vdb 512 50
	_job btrfs vdb 16 db.service --rw=randwrite --fsync=1
}

slow_bind_mount()
{
	_disk vdb 256 50
	_fs ext4 vdb /mnt/data
	mkdir -p /mnt/data/www /mnt/www
	_file /mnt/data/www/file 32
	mount --bind /mnt/data/www /mnt/www
	_fio web.service --filename=/mnt/www/file --size=32m --rw=randread --direct=1 --numjobs=4
}

slow_upper_of_overlay()
{
	_disk vdb 256 50
	_fs ext4 vdb /mnt/data
	modprobe overlay
	mkdir -p /mnt/data/upper /mnt/data/work /mnt/lower /mnt/overlay
	mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/data/upper,workdir=/mnt/data/work overlay /mnt/overlay
	_file /mnt/overlay/file 32
	_fio web.service --filename=/mnt/overlay/file --size=32m --rw=randread --numjobs=4
}
