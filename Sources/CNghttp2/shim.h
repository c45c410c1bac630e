// What is used of nghttp2's server side, looked up when it is used: libcurl brings the library with it, but its headers are
// in a package of their own that nobody needs to install for this.
#ifndef OPERATION_NETWORKING_CNGHTTP2_SHIM_H
#define OPERATION_NETWORKING_CNGHTTP2_SHIM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// nghttp2_nv of libnghttp2.so.14.
typedef struct on_h2_field {
    const uint8_t *name;
    const uint8_t *value;
    size_t name_length;
    size_t value_length;
    uint8_t flags;
} on_h2_field;

// nghttp2_frame_hd, with which every nghttp2_frame begins.
typedef struct on_h2_frame {
    size_t length;
    int32_t stream;
    uint8_t type;
    uint8_t flags;
    uint8_t reserved;
} on_h2_frame;

// nghttp2_settings_entry.
typedef struct on_h2_setting {
    int32_t id;
    uint32_t value;
} on_h2_setting;

// nghttp2_data_source.
typedef union on_h2_source {
    int descriptor;
    void *pointer;
} on_h2_source;

typedef ssize_t (*on_h2_read)(void *session, int32_t stream, uint8_t *buffer, size_t length, uint32_t *flags,
                              on_h2_source *source, void *context);

// nghttp2_data_provider.
typedef struct on_h2_provider {
    on_h2_source source;
    on_h2_read read;
} on_h2_provider;

enum {
    ON_H2_FRAME_DATA = 0,
    ON_H2_FRAME_HEADERS = 1,
    ON_H2_FLAG_END_STREAM = 1,
    ON_H2_SETTING_CONCURRENT_STREAMS = 3,
    ON_H2_SETTING_WINDOW = 4,
    ON_H2_DATA_EOF = 1,
    ON_H2_INTERNAL_ERROR = 2,
    ON_H2_REFUSED_STREAM = 7,
    // NGHTTP2_ERR_DEFERRED, NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.
    ON_H2_DEFERRED = -508,
    ON_H2_STREAM_FAILURE = -521,
};

// What the session tells. Each returns 0, or one of nghttp2's errors.
typedef struct on_h2_callbacks {
    int (*began_headers)(void *, const on_h2_frame *, void *);
    int (*received_field)(void *, const on_h2_frame *, const uint8_t *, size_t, const uint8_t *, size_t, uint8_t, void *);
    int (*received_frame)(void *, const on_h2_frame *, void *);
    int (*received_data)(void *, uint8_t, int32_t, const uint8_t *, size_t, void *);
    int (*closed_stream)(void *, int32_t, uint32_t, void *);
} on_h2_callbacks;

typedef struct on_h2 {
    int (*callbacks_new)(void **);
    void (*callbacks_del)(void *);
    void (*set_began_headers)(void *, int (*)(void *, const on_h2_frame *, void *));
    void (*set_received_field)(void *, int (*)(void *, const on_h2_frame *, const uint8_t *, size_t, const uint8_t *, size_t,
                                               uint8_t, void *));
    void (*set_received_frame)(void *, int (*)(void *, const on_h2_frame *, void *));
    void (*set_received_data)(void *, int (*)(void *, uint8_t, int32_t, const uint8_t *, size_t, void *));
    void (*set_closed_stream)(void *, int (*)(void *, int32_t, uint32_t, void *));
    int (*server_new)(void **, const void *, void *);
    void (*del)(void *);
    int (*submit_settings)(void *, uint8_t, const on_h2_setting *, size_t);
    ssize_t (*mem_recv)(void *, const uint8_t *, size_t);
    ssize_t (*mem_send)(void *, const uint8_t **);
    int (*submit_response)(void *, int32_t, const on_h2_field *, size_t, const on_h2_provider *);
    int32_t (*submit_headers)(void *, uint8_t, int32_t, const void *, const on_h2_field *, size_t, void *);
    int (*resume_data)(void *, int32_t);
    int (*submit_rst_stream)(void *, uint8_t, int32_t, uint32_t);
    int (*set_window)(void *, uint8_t, int32_t, int32_t);
    int (*want_read)(void *);
    int (*want_write)(void *);
} on_h2;

// Finds the functions. 0: there is no nghttp2.
static inline int on_h2_load(on_h2 *library) {
    void *handle = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return 0;
    const struct {
        void *place;
        const char *name;
    } functions[] = {
        {&library->callbacks_new, "nghttp2_session_callbacks_new"},
        {&library->callbacks_del, "nghttp2_session_callbacks_del"},
        {&library->set_began_headers, "nghttp2_session_callbacks_set_on_begin_headers_callback"},
        {&library->set_received_field, "nghttp2_session_callbacks_set_on_header_callback"},
        {&library->set_received_frame, "nghttp2_session_callbacks_set_on_frame_recv_callback"},
        {&library->set_received_data, "nghttp2_session_callbacks_set_on_data_chunk_recv_callback"},
        {&library->set_closed_stream, "nghttp2_session_callbacks_set_on_stream_close_callback"},
        {&library->server_new, "nghttp2_session_server_new"},
        {&library->del, "nghttp2_session_del"},
        {&library->submit_settings, "nghttp2_submit_settings"},
        {&library->mem_recv, "nghttp2_session_mem_recv"},
        {&library->mem_send, "nghttp2_session_mem_send"},
        {&library->submit_response, "nghttp2_submit_response"},
        {&library->submit_headers, "nghttp2_submit_headers"},
        {&library->resume_data, "nghttp2_session_resume_data"},
        {&library->submit_rst_stream, "nghttp2_submit_rst_stream"},
        {&library->set_window, "nghttp2_session_set_local_window_size"},
        {&library->want_read, "nghttp2_session_want_read"},
        {&library->want_write, "nghttp2_session_want_write"},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *function = dlsym(handle, functions[index].name);
        if (!function) return 0;
        *(void **)functions[index].place = function;
    }
    return 1;
}

// A server's session, which gives `context` to the callbacks. NULL: no memory.
static inline void *on_h2_begin(const on_h2 *library, const on_h2_callbacks *callbacks, void *context) {
    void *set = NULL, *session = NULL;
    if (library->callbacks_new(&set) != 0) return NULL;
    library->set_began_headers(set, callbacks->began_headers);
    library->set_received_field(set, callbacks->received_field);
    library->set_received_frame(set, callbacks->received_frame);
    library->set_received_data(set, callbacks->received_data);
    library->set_closed_stream(set, callbacks->closed_stream);
    int code = library->server_new(&session, set, context);
    library->callbacks_del(set);
    return code == 0 ? session : NULL;
}

#endif
