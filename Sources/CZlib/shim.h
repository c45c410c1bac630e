// What is used of zlib, looked up when it is used: libcurl brings the library with it, but its headers are
// in a package of their own that nobody needs to install for this.
#ifndef OPERATION_NETWORKING_CZLIB_SHIM_H
#define OPERATION_NETWORKING_CZLIB_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

// z_stream of libz.so.1.
typedef struct on_z_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} on_z_stream;

enum { ON_Z_OK = 0, ON_Z_STREAM_END = 1, ON_Z_MEM_ERROR = -4, ON_Z_BUF_ERROR = -5, ON_Z_NO_FLUSH = 0, ON_Z_FINISH = 4 };

typedef struct on_zlib {
    int (*deflate_init)(on_z_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(on_z_stream *, int);
    int (*deflate_end)(on_z_stream *);
    int (*inflate_init)(on_z_stream *, int, const char *, int);
    int (*inflate)(on_z_stream *, int);
    int (*inflate_reset)(on_z_stream *);
    int (*inflate_end)(on_z_stream *);
} on_zlib;

// Finds the functions. 0: there is no zlib.
static inline int on_zlib_load(on_zlib *library) {
    void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return 0;
    *(void **)&library->deflate_init = dlsym(handle, "deflateInit2_");
    *(void **)&library->deflate = dlsym(handle, "deflate");
    *(void **)&library->deflate_end = dlsym(handle, "deflateEnd");
    *(void **)&library->inflate_init = dlsym(handle, "inflateInit2_");
    *(void **)&library->inflate = dlsym(handle, "inflate");
    *(void **)&library->inflate_reset = dlsym(handle, "inflateReset");
    *(void **)&library->inflate_end = dlsym(handle, "inflateEnd");
    return library->deflate_init && library->deflate && library->deflate_end && library->inflate_init && library->inflate &&
           library->inflate_reset && library->inflate_end;
}

// Begins a gzip stream (RFC 1952) at the usual level.
static inline int on_gzip_begin(on_zlib library, on_z_stream *stream) {
    enum { default_level = -1, method_deflate = 8, window_bits_gzip = 15 + 16, memory_level = 8, strategy = 0 };
    return library.deflate_init(stream, default_level, method_deflate, window_bits_gzip, memory_level, strategy, "1.2.11",
                                (int)sizeof *stream);
}

static inline int on_gzip_continue(on_zlib library, on_z_stream *stream, int flush) {
    return library.deflate(stream, flush);
}

static inline void on_gzip_end(on_zlib library, on_z_stream *stream) { library.deflate_end(stream); }

// The formats that zlib tells apart by the size of the window.
enum { ON_INFLATE_GZIP = 15 + 16, ON_INFLATE_ZLIB = 15, ON_INFLATE_RAW = -15 };

static inline int on_inflate_begin(on_zlib library, on_z_stream *stream, int format) {
    return library.inflate_init(stream, format, "1.2.11", (int)sizeof *stream);
}

static inline int on_inflate_continue(on_zlib library, on_z_stream *stream) {
    return library.inflate(stream, ON_Z_NO_FLUSH);
}

static inline int on_inflate_reset(on_zlib library, on_z_stream *stream) { return library.inflate_reset(stream); }

static inline void on_inflate_end(on_zlib library, on_z_stream *stream) { library.inflate_end(stream); }

#endif
