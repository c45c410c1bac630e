// System calls that Swift's Glibc module leaves out, because glibc declares them for _GNU_SOURCE only.
#ifndef OPERATION_NETWORKING_CLINUX_SHIM_H
#define OPERATION_NETWORKING_CLINUX_SHIM_H

#include <errno.h>
#include <linux/rtnetlink.h>
#include <linux/stat.h>
#include <string.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// What tells the file behind a descriptor from others: its number, the device, and when it was made. 1; 0: the file system
// does not keep when; -1: no answer.
static inline int on_file_identity(
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

// rename(2) that fails with EEXIST where rename(2) replaces; both paths absolute or below the working directory.
static inline int on_rename_without_replacing(const char *from, const char *to) {
    enum { working_directory = -100, no_replace = 1 };
    return (int)syscall(SYS_renameat2, working_directory, from, working_directory, to, no_replace);
}

// accept4(2) without an address.
static inline int on_accept(int descriptor, int flags) {
    return (int)syscall(SYS_accept4, descriptor, NULL, NULL, flags);
}

// How many bytes have come on a TCP connection, read or not. 0; -1: it is none, or the kernel is older than 4.1.
//
// The field of `struct tcp_info` that says so is missing from glibc's header, and the kernel's does not go with that.
static inline int on_bytes_received(int descriptor, uint64_t *count) {
    enum { tcp = 6, information = 11, position = 128 };
    unsigned char bytes[position + sizeof *count];
    socklen_t size = sizeof bytes;
    if (getsockopt(descriptor, tcp, information, bytes, &size) != 0 || size < sizeof bytes) return -1;
    memcpy(count, bytes + position, sizeof *count);
    return 0;
}

// A socket to the kernel's routing tables, non-blocking; -1: see errno. With `hears_changes` it is sent a message for every
// change of links, addresses, routes, rules and next hops.
static inline int on_netlink_socket(int hears_changes) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    static const unsigned groups[] = {RTNLGRP_LINK,        RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV4_RULE,
                                      RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV6_ROUTE,  RTNLGRP_IPV6_RULE,  RTNLGRP_NEXTHOP};
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    if (hears_changes) {
        for (unsigned index = 0; index < sizeof groups / sizeof *groups; index++)
            address.nl_groups |= 1u << (groups[index] - 1);
    }
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int code = errno;
        close(descriptor);
        errno = code;
        return -1;
    }
    return descriptor;
}

// The next datagram's full length, which may exceed `size`; -1: see errno. `is_kernels`: whether the kernel sent it.
static inline ssize_t on_netlink_receive(int descriptor, void *buffer, size_t size, int *is_kernels) {
    struct sockaddr_nl sender = {0};
    socklen_t length = sizeof sender;
    ssize_t count = recvfrom(descriptor, buffer, size, MSG_TRUNC, (struct sockaddr *)&sender, &length);
    *is_kernels = count >= 0 && length == sizeof sender && sender.nl_pid == 0;
    return count;
}

// Names the calling thread: 15 bytes at most, the rest is cut off.
static inline void on_set_thread_name(const char *name) {
    prctl(PR_SET_NAME, name);
}

// The calling thread's name: 16 bytes with the terminating NUL.
static inline void on_get_thread_name(char *name) {
    prctl(PR_GET_NAME, name);
}

#endif
