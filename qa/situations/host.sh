# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Situations of cgroups, memory, CPUs and queues, and what is no trouble, see machine
# shellcheck disable=SC2016,SC2034,SC2154 # text of shells in quotes; the variables of machine

# _files MILLISECONDS MEGABYTES [FILE=VALUE...]: ext4 with a file on the disk vdb
_files()
{
	_ms=$1 _mb=$2
	shift 2
	_disk vdb 512 "$_ms" "$@"
	_fs ext4 vdb /mnt/data
	_file /mnt/data/file "$_mb"
}

neighbour_writes()
{
	_files 8 16 hw_queue_depth=1
	_fio backup.service --filename=/mnt/data/backup --size=300m --rw=write --bs=256k --fallocate=none --rate=3m
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --fsync=1
	warm=12
}

neighbour_reads()
{
	_files 4 64 hw_queue_depth=1
	_fio backup.service --filename=/mnt/data/file --size=64m --rw=randread --bs=64k --direct=1 --ioengine=libaio --iodepth=32
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1
}

throttled_reads()
{
	_files 0.1 64
	mkdir -p /sys/fs/cgroup/system.slice/db.service
	echo "$(cat /sys/block/vdb/dev) riops=20" >/sys/fs/cgroup/system.slice/db.service/io.max
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=4
}

throttled_writes()
{
	_files 0.1 64
	mkdir -p /sys/fs/cgroup/system.slice/db.service
	echo "$(cat /sys/block/vdb/dev) wbps=65536" >/sys/fs/cgroup/system.slice/db.service/io.max
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randwrite --direct=1 --numjobs=4
}

queue_full()
{
	_files 4 64 hw_queue_depth=2
	echo mq-deadline >/sys/block/vdb/queue/scheduler
	echo 4 >/sys/block/vdb/queue/nr_requests
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=32
}

queue_full_by_aio()
{
	_files 4 64 hw_queue_depth=2
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --ioengine=libaio --iodepth=64
}

dirty_throttled()
{
	_files 50 16
	echo 1048576 >/proc/sys/vm/dirty_background_bytes
	echo 2097152 >/proc/sys/vm/dirty_bytes
	_fio web.service --filename=/mnt/data/new --size=300m --rw=write --bs=64k --fallocate=none
}

# _swap PLACE: a load that writes here and there in 160 MiB, of which it may have 64 MiB in memory, and swaps to that place
_swap()
{
	mkswap "$1" >/dev/null
	swapon "$1"
	mkdir -p /sys/fs/cgroup/system.slice/cache.service
	echo 64M >/sys/fs/cgroup/system.slice/cache.service/memory.max
	_load cache.service python3 -c 'import random
memory = bytearray(160 << 20)
while True:
    memory[random.randrange(0, len(memory))] = 1'
	warm=15
}

slow_swap()
{
	_disk vdb 512 50
	_swap /dev/vdb
}

# Reads of the swap file are no calls: no measured one waits for the disk.
swap_file()
{
	_files 30 1
	dd if=/dev/zero of=/mnt/data/swap bs=1M count=256 2>/dev/null
	chmod 600 /mnt/data/swap
	_swap /mnt/data/swap
}

cache_too_small()
{
	_files 20 128
	mkdir -p /sys/fs/cgroup/system.slice/web.service
	echo 40M >/sys/fs/cgroup/system.slice/web.service/memory.max
	_fio web.service --filename=/mnt/data/file --size=128m --rw=randread --numjobs=2
}

cpu_hogs_beside_cached_reads()
{
	_files 0.1 32
	cat /mnt/data/file >/dev/null
	for _hog in 1 2; do
		_load batch.service sh -c 'while :; do :; done'
	done
	_fio web.service --filename=/mnt/data/file --size=32m --rw=randread --bs=64k --rate_iops=200 --invalidate=0
}

cpu_bound_reader()
{
	_files 0.1 64
	_load web.service python3 -c 'import os, time
f = os.open("/mnt/data/file", os.O_RDONLY)
i = 0
while True:
    os.pread(f, 4096, i * 4096 % (64 << 20))
    i += 1
    until = time.monotonic() + .2
    while time.monotonic() < until: pass'
}

one_file_many_writers()
{
	_files 10 1
	_fio log.service --filename=/mnt/data/log --rw=write --direct=1 --numjobs=8 --file_append=1 --size=200m --fallocate=none
}

slow_discards()
{
	_disk vdb 512 100 discard=1
	_load trim.service sh -c 'while :; do blkdiscard -f -p 1M /dev/vdb; done'
}

frozen_file_system()
{
	_files 0.1 16
	fsfreeze -f /mnt/data
	frozen=/mnt/data
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --direct=1 --fsync=1
}

hung_disk()
{
	_files 0.1 16
	_disk vdc 64 25000
	_load db.service sh -c 'for i in 1 2 3 4; do dd if=/dev/vdc of=/dev/null bs=4k count=1 skip=$i iflag=direct & done; wait'
}

healthy_busy()
{
	_files 0.1 64
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randrw --direct=1 --rate_iops=200
}

healthy_fsyncs()
{
	_files 0.1 16
	_fio db.service --filename=/mnt/data/file --size=16m --rw=randwrite --fsync=1 --thinktime=3s
}

idle()
{
	_files 0.1 16
}

# The other file system is slow.
fresh_mount()
{
	slow_beside_fast
	_disk vdd 64
	_fs ext4 vdd /mnt/fresh
}

noise_only()
{
	_files 0.1 16
	_load cron.service sh -c 'while :; do date >>/mnt/data/log; sleep 3; done'
}

slow_beside_fast()
{
	_files 50 64
	_disk vdc 256
	_fs ext4 vdc /mnt/fast
	_file /mnt/fast/file 64
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=4
	_fio web.service --filename=/mnt/fast/file --size=64m --rw=randread --direct=1 --rate_iops=100
}

# As a host has it whose agent cannot load the modules of the block layer
blocks_not_measured()
{
	omit='bio|bio\..*|backend_io|backend_io\..*|journal|journal\..*|writeback|writeback\..*'
	_files 50 64
	_fio db.service --filename=/mnt/data/file --size=64m --rw=randread --direct=1 --numjobs=4
}

# The disk takes long for few writes: the journal's.
rare_fsyncs_on_slow_disk()
{
	_disk vdb 256
	_disk vdc 64 400
	mkfs.ext4 -q -O journal_dev -b 4096 /dev/vdc
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0,nodiscard -J device=/dev/vdc /dev/vdb
	_mount ext4 vdb /mnt/data
	_file /mnt/data/file 32
	_fio web.service --filename=/mnt/data/file --size=32m --rw=randwrite --rate_iops=300
	_load db.service sh -c 'while :; do dd if=/dev/zero of=/mnt/data/db bs=4k count=1 oflag=append conv=notrunc,fsync; sleep 2; done'
}
