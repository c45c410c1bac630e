// statx(2), which glibc declares for _GNU_SOURCE only.
#ifndef BATCHGET_CSTATX_SHIM_H
#define BATCHGET_CSTATX_SHIM_H

#include <linux/stat.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// What tells the file behind a descriptor from others: its number, the device, and when it was made. 1; 0: the file system
// does not keep when; -1: no answer.
static inline int batchget_file_identity(
    int descriptor, uint64_t *inode, uint64_t *device, int64_t *seconds, uint32_t *nanoseconds) {
    enum { empty_path = 0x1000 };
    struct statx status;
    if (syscall(SYS_statx, descriptor, "", empty_path, STATX_INO | STATX_BTIME, &status) != 0) return -1;
    *inode = status.stx_ino;
    *device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
    if (!(status.stx_mask & STATX_BTIME)) return 0;
    *seconds = status.stx_btime.tv_sec;
    *nanoseconds = status.stx_btime.tv_nsec;
    return 1;
}

#endif
