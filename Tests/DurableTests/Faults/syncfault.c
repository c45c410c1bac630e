// Preloaded into a worker: every so many calls of fsync and fdatasync fail, as on a disk that is about to die.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void) {
    static int calls, period = -1;
    if (period < 0) {
        const char *text = getenv("SYNC_FAULT_PERIOD");
        period = text ? atoi(text) : 0;
    }
    return period > 0 && ++calls % period == 0;
}

static int sync_with(const char *name, int descriptor) {
    int (*original)(int);
    *(void **)&original = dlsym(RTLD_NEXT, name);
    if (fails()) {
        errno = EIO;
        return -1;
    }
    return original(descriptor);
}

int fsync(int descriptor) { return sync_with("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_with("fdatasync", descriptor); }
