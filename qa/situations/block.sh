# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Situations of arrays and volumes, see machine
# shellcheck disable=SC2016,SC2034,SC2154 # text of shells in quotes; the variables of machine

# shellcheck source=../common/nvme
. common/nvme

slow_raid0_member()
{
	_disk vdb 128
	_disk vdc 128 50
	_md raid0 vdb vdc
	_job ext4 md0 64 db.service --rw=randread --direct=1 --numjobs=4
}

slow_raid1_member()
{
	_disk vdb 128
	_disk vdc 128 50
	_md raid1 vdb vdc
	_job ext4 md0 32 db.service --rw=randwrite --direct=1 --numjobs=2
}

# The array reads so much from the other members that the slow one has less than half of the time.
slow_raid10_member()
{
	for _member in vdb vdc vdd; do
		_disk $_member 128
	done
	_disk vde 128 50
	_md raid10 vdb vdc vdd vde
	_job ext4 md0 64 db.service --rw=randread --direct=1 --numjobs=8
}

slow_raid5_member()
{
	_disk vdb 128
	_disk vdc 128 50
	_disk vdd 128
	_md raid5 vdb vdc vdd
	_job ext4 md0 32 db.service --rw=randread --direct=1 --numjobs=4
}

suspended_volume()
{
	_disk vdb 256
	under=vdb
	_dm slow linear /dev/vdb 0
	_fs ext4 "$dm" /mnt/data
	_file /mnt/data/file 64
	dmsetup suspend --noudevsync --nolockfs slow
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=4
}

slow_linear_part()
{
	_disk vdb 128
	_disk vdc 128 50
	_half=$(blockdev --getsz /dev/vdb)
	printf '0 %s linear /dev/vdb 0\n%s %s linear /dev/vdc 0\n' "$_half" "$_half" "$_half" |
		dmsetup create --noudevsync vg-data
	dm=dm-$(dmsetup info -c --noheadings -o minor vg-data)
	_job ext4 "$dm" 200 db.service --rw=randread --direct=1 --numjobs=4
}

slow_btrfs_mirror_member()
{
	_disk vdb 256
	_disk vdc 256 50
	modprobe btrfs
	mkfs.btrfs -q -K -d raid1 -m raid1 /dev/vdb /dev/vdc
	btrfs device scan /dev/vdb /dev/vdc >/dev/null
	_mount btrfs vdb /mnt/data
	_file /mnt/data/file 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --fsync=1
}

slow_snapshot_store()
{
	modprobe dm-snapshot
	_disk vdb 128
	_disk vdc 128 50
	under=vdb
	_dm base linear /dev/vdb 0
	_base=$dm
	_fs ext4 "$_base" /mnt/data
	_file /mnt/data/file 64
	umount /mnt/data
	_dm snap snapshot "/dev/$_base" /dev/vdc P 8
	_dm origin snapshot-origin "/dev/$_base"
	_mount ext4 "$dm" /mnt/data
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randwrite --direct=1 --numjobs=4
}

thin_slow_metadata()
{
	modprobe dm-thin-pool
	_disk vdb 64 50
	_disk vdc 512
	dmsetup create --noudevsync pool --table "0 1000000 thin-pool /dev/vdb /dev/vdc 128 0"
	dmsetup message pool 0 "create_thin 0"
	dmsetup create --noudevsync thin --table "0 900000 thin /dev/$(dmsetup info -c --noheadings -o blkdevname pool) 0"
	dm=dm-$(dmsetup info -c --noheadings -o minor thin)
	_fs ext4 "$dm" /mnt/data
	_fio db.service --filename=/mnt/data/new --size=300m --rw=randwrite --bs=64k --fsync=1 --fallocate=none
}

# The journal's disk is no member of the array.
ext4_journal_md()
{
	_disk vdb 128
	_disk vdc 128
	_disk vdd 64 50
	_md raid1 vdb vdc
	mkfs.ext4 -q -O journal_dev -b 4096 /dev/vdd
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,nodiscard -J device=/dev/vdd /dev/md0
	_mount ext4 md0 /mnt/data
	_file /mnt/data/file 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=write --fsync=1 --file_append=1
}

crypt_on_slow_disk()
{
	modprobe dm-crypt
	_disk vdb 256 50
	under=vdb
	_dm secret crypt aes-cbc-essiv:sha256 0123456789abcdef0123456789abcdef 0 /dev/vdb 0
	_job ext4 "$dm" 32 db.service --rw=randread --direct=1 --numjobs=4
}

# The processors are emulated: the cipher takes longer than the disk.
crypt_takes_cpu()
{
	_disk vdb 256
	under=vdb
	_dm secret crypt aes-cbc-essiv:sha256 0123456789abcdef0123456789abcdef 0 /dev/vdb 0
	_job ext4 "$dm" 64 db.service --rw=read --bs=128k --direct=1
}

slow_delay_volume()
{
	_disk vdb 256
	under=vdb
	_delay slow 50
	_job ext4 "$dm" 32 db.service --rw=randwrite --fsync=1
}

loop_on_slow_disk()
{
	_disk vdb 256 50
	_fs ext4 vdb /mnt/data
	truncate -s 100M /mnt/data/image
	losetup /dev/loop0 /mnt/data/image
	_fs ext4 loop0 /mnt/image
	_file /mnt/image/file 32
	_fio vm.service --filename=/mnt/image/file --size=32m --rw=randread --direct=1
}

slow_partition()
{
	_disk vdb 256 50
	addpart /dev/vdb 1 2048 409600
	_wait_for 20 test -b /dev/vdb1
	_job ext4 vdb1 32 db.service --rw=randread --direct=1 --numjobs=4
}

nvme_on_slow_disk()
{
	modprobe nvme-core multipath=Y
	_disk vdb 256 50
	_nvme /dev/vdb
	_job ext4 nvme0n1 32 db.service --rw=randread --direct=1 --numjobs=4
}
