# SPDX-License-Identifier: GPL-2.0-or-later
# What threads waited for, from three traces of Linux (common/sleeps): lines OP REASON NANOSECONDS NUMBER
# The first trace has the bios that kworkers send: io.max has held them. The second and the third have the threads' events: the third
# those that begin a span, with stacks. A span is a time in which a thread is blocked, queued, or runs while it waits for a lock or frees
# memory. A stack follows its event, but events of another CPU can stand between the two.

BEGIN {
	reason("dirty_throttle", "balance_dirty_pages balance_dirty_pages_ratelimited_flags balance_dirty_pages_ratelimited")
	reason("tag", "blk_mq_get_tag")
	reason("iocost", "ioc_rqos_throttle")
	reason("io_latency", "blkcg_iolatency_throttle")
	reason("wbt", "wbt_wait")
	reason("journal", "jbd2_log_wait_commit start_this_handle jbd2_journal_get_write_access")
	reason("log", "xfs_log_reserve xfs_log_force xfs_log_force_seq")
	reason("reclaim", "try_to_free_pages try_to_free_mem_cgroup_pages __mem_cgroup_handle_over_high mem_cgroup_handle_over_high")
	reason("folio", "folio_wait_bit_common folio_wait_bit __folio_lock wait_on_page_bit_common wait_on_page_bit __lock_page filemap_read")
	reason("network", "rpc_wait_bit_killable nfs_wait_bit_killable")
	reason("zil", "zil_commit zil_commit_flags zil_commit_impl")
	reason("txg", "txg_wait_synced txg_wait_synced_flags txg_wait_open")
	operation("read", "vfs_read vfs_readv do_preadv do_readv")
	operation("write", "vfs_write vfs_writev do_pwritev do_writev")
	operation("fsync", "vfs_fsync vfs_fsync_range do_fsync __x64_sys_fsync __x64_sys_fdatasync")
}

function reason(name, functions,	list, i)
{
	for (i = split(functions, list, " "); i; i--) reason_of[list[i]] = name
}

function operation(name, functions,	list, i)
{
	for (i = split(functions, list, " "); i; i--) op_of[list[i]] = name
}

# number(NAME): the number after NAME= in the line
function number(name)
{
	return match($0, " " name "=[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : ""
}

# The line's time in microseconds
function microseconds(text,	part)
{
	split(text, part, ".")
	if (base == "") base = part[1]
	return (part[1] - base) * 1000000 + part[2]
}

# When a kworker sent a bio within the span; the span's end if none did
function release(span,	i, end)
{
	end = begun[span] + time[span]
	for (i = 1; i <= releases; i++)
		if (released[i] > begun[span] && released[i] < end) return released[i]
	return end
}

# From now on the thread is in the span; 0: it runs.
function enters(thread, span)
{
	if (in_span[thread]) time[in_span[thread]] += now - since[thread]
	since[thread] = now
	in_span[thread] = span
}

function runs(thread)
{
	enters(thread, lock_span[thread] ? lock_span[thread] : free_span[thread])
}

# A wait of so many microseconds, of an operation for a reason
function adds(wait, us)
{
	sum[wait] += us
	number_of[wait]++
}

# A new span; the stack that comes next on this CPU is its.
function begins(why)
{
	reason_is[++spans] = why
	begun[spans] = now
	awaits[cpu] = spans
	return spans
}

# The event $0 of the thread, one of the second trace, happened at the time `now`.
function happens(	span, word)
{
	if (event ~ /^sched_wakeup:/) {
		thread = number("pid")
		span = in_span[thread]
		if (span && reason_is[span] != "run_queue") {
			reason_is[++spans] = "run_queue"
			after[spans] = span
			enters(thread, spans)
		}
	} else if (event ~ /^sys_enter:/) {
		sent[thread] = ""
	} else if (event ~ /^block_bio_queue:/) {
		sent[thread] = "device"
	} else if (event ~ /^rpc_task_begin:/) {
		sent[thread] = "network"
	} else if (event ~ /^contention_end:/ && lock_span[thread] && index(event, lock_of[thread])) {
		lock_span[thread] = 0
		runs(thread)
	} else if (event ~ /reclaim_end:/) {
		free_span[thread] = 0
		runs(thread)
	}
}

# Let the events of the second trace happen that are older than the line's, or all
function catch_up(all,	line, until)
{
	line = $0
	until = now
	while (done < noted && (all || time_of[done + 1] < until)) {
		$0 = note[++done]
		parse()
		happens()
		delete note[done]
	}
	$0 = line
}

# Take the thread, the CPU, the time and the event from the line; 0: it has none
function parse(	words, word)
{
	if (!match($0, /-[0-9]+ +(\([^)]*\) +)?\[[0-9]+\] [^ ]+ +[0-9]+\.[0-9]+: /)) return 0
	words = split(substr($0, RSTART + 1, RLENGTH - 3), word, " ")
	thread = word[1]
	cpu = word[words - 2]
	now = microseconds(word[words])
	event = substr($0, RSTART + RLENGTH)
	return 1
}

/^ => / {
	name = $2
	sub(/\..*/, "", name)
	if (name ~ /^(ovl|v9fs|p9|netfs|shmem|a?n?o?n?_?pipe|tty|proc|seq|kernfs)_/) foreign[stack]
	if (name ~ /io_schedule/) io[stack]
	if (name in op_of) op[stack] = op_of[name]
	if (name in reason_of && !(stack in innermost)) innermost[stack] = reason_of[name]
	next
}
!parse() { next }
/<stack trace>/ {
	stack = awaits[cpu]
	awaits[cpu] = 0
	next
}
FILENAME == ARGV[1] {
	if (/^ *kworker\//) released[++releases] = now
	next
}
FILENAME == ARGV[2] {
	time_of[++noted] = now
	note[noted] = $0
	next
}
{
	catch_up(0)
	parse()
	awaits[cpu] = 0
}
event ~ /^sched_switch:/ {
	next_thread = number("next_pid")
	if (in_span[next_thread]) runs(next_thread)
	thread = number("prev_pid")
	enters(thread, begins(/ prev_state=R/ ? "run_queue" : lock_span[thread] ? "lock" : "by its stack"))
	sends[spans] = sent[thread]
}
event ~ /^contention_begin:/ && !lock_span[thread] {
	split(event, word, " ")
	lock_of[thread] = word[2]
	lock_span[thread] = begins("lock")
	runs(thread)
}
event ~ /reclaim_begin:/ {
	free_span[thread] = begins("reclaim")
	runs(thread)
}
END {
	catch_up(1)
	for (i = 1; i <= spans; i++) {
		at = i in after ? after[i] : i
		if (!(at in op) || at in foreign) continue
		why = reason_is[i]
		if (why == "by its stack") {
			why = innermost[i]
			if (why == "" || why == "folio")
				why = sends[i] == "network" ? "network" : !(i in io) ? "other" : sends[i] != "" ? "device" : why
			if (why == "") why = "device"
		}
		if (why == "device" && sends[i] == "") {
			held = release(i) - begun[i]
			if (held < time[i]) {
				adds(op[at] " io_max", held)
				time[i] -= held
			}
		}
		adds(op[at] " " why, time[i])
	}
	for (i in sum) printf "%s %.0f %d\n", i, sum[i] * 1000, number_of[i]
}
