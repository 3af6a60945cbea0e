# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Situations of ZFS, see machine. ZFS would make partitions on disks of usual names, for which it needs udev.
# shellcheck disable=SC2016,SC2034,SC2154 # text of shells in quotes; the variables of machine

modules="zio zio_queue zpl zil zvol txg"

_set_up_set()
{
	modprobe zfs || _fail "no ZFS"
	_dirty_max=$(cat /sys/module/zfs/parameters/zfs_dirty_data_max)
}

_tear_down_set()
{
	echo "$_dirty_max" >/sys/module/zfs/parameters/zfs_dirty_data_max
	! zpool list -H tank >/dev/null 2>&1 || _until zpool destroy -f tank
}

# _pool VDEV...: make the pool tank
_pool()
{
	zpool create -f -O atime=off -O recordsize=8k -O primarycache=metadata -O mountpoint=/mnt/data tank "$@" ||
		_fail "no pool"
}

_zfile()
{
	dd if=/dev/urandom of=/mnt/data/file bs=1M count="$1" conv=fsync 2>/dev/null
	zpool sync
}

zfs_slow_vdev_reads()
{
	_disk disk1 512 50
	_pool /dev/disk1
	_zfile 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randread --bs=8k --numjobs=4
}

zfs_slow_raidz_member()
{
	_disk disk1 256
	_disk disk2 256 50
	_disk disk3 256
	_pool raidz /dev/disk1 /dev/disk2 /dev/disk3
	_zfile 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randread --bs=8k --numjobs=4
}

zfs_slow_mirror_member()
{
	_disk disk1 512
	_disk disk2 512 50
	_pool mirror /dev/disk1 /dev/disk2
	_zfile 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --bs=8k --sync=1
}

zfs_slow_log()
{
	_disk disk1 512
	_disk disk2 256 50
	_pool /dev/disk1 log /dev/disk2
	_zfile 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --bs=8k --sync=1
}

zfs_slow_sync_writes()
{
	_disk disk1 512 50
	_pool /dev/disk1
	_zfile 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --bs=8k --sync=1
}

zfs_txg_full()
{
	_disk disk1 512 50
	_pool /dev/disk1
	echo 4194304 >/sys/module/zfs/parameters/zfs_dirty_data_max
	_zfile 16
	_fio web.service --filename=/mnt/data/file --size=16m --rw=randwrite --bs=8k --numjobs=4
}

zfs_scrub_beside_reads()
{
	_disk disk1 1024 10 hw_queue_depth=1
	_pool /dev/disk1
	_zfile 48
	_fio db.service --filename=/mnt/data/file --size=48m --rw=randread --bs=8k
	zpool scrub tank
}

zfs_slow_volume()
{
	_disk disk1 512 50
	_pool /dev/disk1
	zfs create -V 64m -o volblocksize=8k -o primarycache=metadata tank/vol
	_wait_for 20 test -e /sys/block/zd0 || echo "no zd0"
	mkdir -p /run/udev/data # as udev has it
	echo S:zvol/tank/vol >"/run/udev/data/b$(cat /sys/block/zd0/dev)"
	dd if=/dev/urandom of=/dev/zd0 bs=1M count=16 conv=fsync 2>/dev/null
	_fio db.service --filename=/dev/zd0 --size=16m --rw=randread --bs=8k --direct=1 --numjobs=4
}

# The file system with the vdev's file waits for the disk.
zfs_file_vdev()
{
	_disk disk3 512 40
	_fs ext4 disk3 /mnt/host
	truncate -s 256M /mnt/host/vdev
	_pool /mnt/host/vdev
	_zfile 8
	_fio db.service --filename=/mnt/data/file --size=8m --rw=randwrite --bs=8k --fsync=1
}

zfs_suspended_vdev()
{
	_disk disk1 512
	under=disk1
	_dm slow linear /dev/disk1 0
	_pool "/dev/$dm"
	_zfile 16
	dmsetup suspend --noudevsync --nolockfs slow
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randread --bs=8k --numjobs=4
}

zfs_idle()
{
	_disk disk1 512
	_pool /dev/disk1
	_zfile 16
}

# Reads are from the ARC and writes go there, because the emulated machine can take long for a disk.
zfs_healthy()
{
	_disk disk1 512 0
	_pool /dev/disk1
	zfs set primarycache=all tank
	_zfile 16
	cat /mnt/data/file >/dev/null
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randread --bs=8k --thinktime=1s --invalidate=0
	_fio web.service --filename=/mnt/data/new --size=1m --rw=write --bs=8k --thinktime=1s
}
