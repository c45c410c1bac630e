// SPDX-License-Identifier: MIT
// Preloaded into a program, delays its threads at random after they have woken another one, released a mutex, or
// accepted a connection: as if the machine had been busy there. What then fails has counted on being quick.
//
//   THREAD_DELAYS_SEED   the seed of all threads' sequences; the order in which threads begin still differs
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// One in so many is delayed. A write of eight bytes wakes another thread's run loop (eventfd), which is rarer than the
// rest and more telling. A server that is late with a connection reads what was sent long before.
enum { ONE_WRITE_IN = 2, ONE_RELEASE_IN = 2000, ONE_CONNECTION_IN = 4 };
enum { LONGEST_NANOSECONDS = 10000000 };

static uint64_t seed, threads;
static __thread uint64_t state;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("THREAD_DELAYS_SEED");
    seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
}

// xorshift64
static uint64_t next(void) {
    if (state == 0) {
        uint64_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
        state = (seed * 0x9E3779B97F4A7C15u ^ number * 0xBF58476D1CE4E5B9u) | 1;
    }
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 11;
}

static void delay(unsigned one_in) {
    if (next() % one_in != 0) return;
    int error = errno;
    struct timespec time = {0, (long)(next() % LONGEST_NANOSECONDS)};
    nanosleep(&time, NULL);
    errno = error;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

long syscall(long number, ...) {
    REAL(syscall);
    va_list list;
    va_start(list, number);
    long values[6];
    for (int i = 0; i < 6; i++) values[i] = va_arg(list, long);
    va_end(list);
    long result = real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
    if (number == SYS_futex) {
        long operation = values[1] & FUTEX_CMD_MASK;
        if (operation == FUTEX_WAKE || operation == FUTEX_UNLOCK_PI) delay(ONE_RELEASE_IN);
    }
    return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(write);
    ssize_t result = real(descriptor, bytes, count);
    if (count == 8) delay(ONE_WRITE_IN);
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_unlock);
    int result = real(mutex);
    delay(ONE_RELEASE_IN);
    return result;
}

int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags) {
    REAL(accept4);
    int result = real(listener, address, length, flags);
    if (result >= 0) delay(ONE_CONNECTION_IN);
    return result;
}
