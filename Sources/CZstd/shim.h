// What is used of Zstandard's decoder, looked up when it is used: libcurl brings the library with it, but its headers are
// in a package of their own that nobody needs to install for this.
#ifndef OPERATION_NETWORKING_CZSTD_SHIM_H
#define OPERATION_NETWORKING_CZSTD_SHIM_H

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>

// ZSTD_inBuffer and ZSTD_outBuffer of libzstd.so.1.
typedef struct on_zstd_input {
    const void *bytes;
    size_t count;
    size_t position;
} on_zstd_input;

typedef struct on_zstd_output {
    void *bytes;
    size_t count;
    size_t position;
} on_zstd_output;

typedef struct on_zstd {
    void *(*create)(void);
    size_t (*set_parameter)(void *, int, int);
    size_t (*decompress)(void *, on_zstd_output *, on_zstd_input *);
    unsigned (*is_error)(size_t);
    const char *(*error_name)(size_t);
    size_t (*destroy)(void *);
    unsigned long long (*content_size)(const void *, size_t);
} on_zstd;

// Finds the functions. 0: there is no Zstandard.
static inline int on_zstd_load(on_zstd *library) {
    void *handle = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return 0;
    *(void **)&library->create = dlsym(handle, "ZSTD_createDCtx");
    *(void **)&library->set_parameter = dlsym(handle, "ZSTD_DCtx_setParameter");
    *(void **)&library->decompress = dlsym(handle, "ZSTD_decompressStream");
    *(void **)&library->is_error = dlsym(handle, "ZSTD_isError");
    *(void **)&library->error_name = dlsym(handle, "ZSTD_getErrorName");
    *(void **)&library->destroy = dlsym(handle, "ZSTD_freeDCtx");
    *(void **)&library->content_size = dlsym(handle, "ZSTD_getFrameContentSize");
    return library->create && library->set_parameter && library->decompress && library->is_error && library->error_name &&
           library->destroy && library->content_size;
}

// A decoder for windows of up to 2^window_log bytes. NULL: no memory, or it would not take the limit.
static inline void *on_zstd_begin(on_zstd library, int window_log) {
    enum { parameter_window_log_max = 100 };
    void *decoder = library.create();
    if (decoder && library.is_error(library.set_parameter(decoder, parameter_window_log_max, window_log))) {
        library.destroy(decoder);
        return NULL;
    }
    return decoder;
}

// The length of content that a frame, whose header is given, says it has. -1: it does not say.
static inline long long on_zstd_content_size(on_zstd library, const void *header, size_t count) {
    unsigned long long size = library.content_size(header, count);
    enum { unknown = 1, failed = 2 };
    return size == 0ULL - unknown || size == 0ULL - failed || size > LLONG_MAX ? -1 : (long long)size;
}

// 0: a frame is complete; otherwise an error, or a guess at what is missing.
static inline size_t on_zstd_continue(on_zstd library, void *decoder, on_zstd_output *output, on_zstd_input *input) {
    return library.decompress(decoder, output, input);
}

// NULL: no error.
static inline const char *on_zstd_failure(on_zstd library, size_t result) {
    return library.is_error(result) ? library.error_name(result) : NULL;
}

static inline void on_zstd_end(on_zstd library, void *decoder) { library.destroy(decoder); }

#endif
