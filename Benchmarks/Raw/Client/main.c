/* The limit the library is measured against: GET requests on raw libcurl, driven by
 * curl_multi_socket_action from one epoll loop, with libcurl's deadline kept in memory.
 *
 *   RawClient URL TRANSFERS WARM_UP_SECONDS SECONDS EXPECTED_LENGTH [HTTP_VERSION [CA_FILE]]
 *
 * TRANSFERS are under way all the time, each on a connection of its own, or as streams of one where HTTP_VERSION is 2 (with
 * prior knowledge where the URL is http); each collects its body. CA_FILE has the certificate authority that is trusted.
 * Prints one line of JSON about the requests that ended between warm-up and end. */
#include <curl/curl.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

enum { MAXIMUM_CONNECTIONS = 1024, BODY_CAPACITY = 1 << 16, EVENT_CAPACITY = 256, MAXIMUM_LATENCIES = 1 << 20 };

struct transfer {
    CURL *easy;
    size_t length;
    int64_t begin;
    char body[BODY_CAPACITY];
};

static int poller;
static int64_t deadline = -1; /* milliseconds on the monotonic clock; -1: none */

static void fail(const char *what, const char *why) {
    fprintf(stderr, "RawClient: %s: %s\n", what, why);
    exit(1);
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static long peak_kibibytes(void) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long value = -1;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &value) == 1) break;
    if (file) fclose(file);
    return value;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    size_t length = size * count;
    if (transfer->length + length > BODY_CAPACITY) return 0;
    memcpy(transfer->body + transfer->length, bytes, length);
    transfer->length += length;
    return length;
}

static int compare(const void *one, const void *other) {
    int64_t left = *(const int64_t *)one, right = *(const int64_t *)other;
    return left < right ? -1 : left > right;
}

static void begin(CURLM *multi, struct transfer *transfer) {
    transfer->begin = now_ns();
    curl_multi_add_handle(multi, transfer->easy);
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy;
    struct epoll_event event = {.data.fd = socket};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(poller, EPOLL_CTL_DEL, socket, &event);
        return 0;
    }
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(poller, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) != 0)
        epoll_ctl(poller, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    if (!known) curl_multi_assign((CURLM *)context, socket, context);
    return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    (void)context;
    deadline = milliseconds < 0 ? -1 : now_ns() / 1000000 + milliseconds;
    return 0;
}

int main(int count, char **arguments) {
    if (count < 6 || count > 8)
        fail("usage", "RawClient URL TRANSFERS WARM_UP_SECONDS SECONDS EXPECTED_LENGTH [HTTP_VERSION [CA_FILE]]");
    int is_http2 = count >= 7 && strcmp(arguments[6], "2") == 0;
    int is_tls = strncmp(arguments[1], "https:", 6) == 0;
    long version = !is_http2 ? CURL_HTTP_VERSION_1_1
        : is_tls             ? CURL_HTTP_VERSION_2TLS
                             : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
    int connections = atoi(arguments[2]);
    int64_t warm_up = (int64_t)(atof(arguments[3]) * 1e9), measured = (int64_t)(atof(arguments[4]) * 1e9);
    size_t expected = (size_t)atol(arguments[5]);
    if (connections < 1 || connections > MAXIMUM_CONNECTIONS || measured <= 0) fail("usage", "bad number");

    poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) fail("epoll_create1", strerror(errno));
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    if (!multi) fail("curl_multi_init", "no handle");
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, multi);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)connections);

    struct transfer *transfers = calloc((size_t)connections, sizeof *transfers);
    int64_t *latencies = calloc(MAXIMUM_LATENCIES, sizeof *latencies);
    if (!transfers || !latencies) fail("calloc", "out of memory");
    for (int index = 0; index < connections; index++) {
        CURL *easy = transfers[index].easy = curl_easy_init();
        if (!easy) fail("curl_easy_init", "no handle");
        curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[index]);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[index]);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, version);
        if (count == 8) curl_easy_setopt(easy, CURLOPT_CAINFO, arguments[7]);
        /* The first makes the connection that the others join. */
        if (!is_http2 || index == 0) begin(multi, &transfers[index]);
    }
    int is_joined = !is_http2;

    int64_t start = now_ns(), window_start = 0, window_end = 0;
    double window_cpu = 0;
    long ended = 0;
    struct epoll_event events[EVENT_CAPACITY];
    while (!window_end) {
        int timeout = 1000;
        if (deadline >= 0) {
            int64_t left = deadline - now_ns() / 1000000;
            timeout = left < 0 ? 0 : left > 1000 ? 1000 : (int)left;
        }
        int ready = epoll_wait(poller, events, EVENT_CAPACITY, timeout), running;
        if (ready < 0 && errno != EINTR) fail("epoll_wait", strerror(errno));
        for (int index = 0; index < ready; index++) {
            int action = 0;
            if (events[index].events & (EPOLLIN | EPOLLHUP)) action |= CURL_CSELECT_IN;
            if (events[index].events & EPOLLOUT) action |= CURL_CSELECT_OUT;
            if (events[index].events & EPOLLERR) action |= CURL_CSELECT_ERR;
            curl_multi_socket_action(multi, events[index].data.fd, action, &running);
        }
        if (deadline >= 0 && now_ns() / 1000000 >= deadline) {
            deadline = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result;
            struct transfer *transfer;
            long status = 0;
            if (code != CURLE_OK) fail("transfer", curl_easy_strerror(code));
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            if (status != 200 || transfer->length != expected) fail("transfer", "unexpected response");
            transfer->length = 0;
            if (ended < MAXIMUM_LATENCIES) latencies[ended] = now_ns() - transfer->begin;
            ended++;
            curl_multi_remove_handle(multi, easy);
            if (is_joined) {
                begin(multi, transfer);
                continue;
            }
            is_joined = 1;
            for (int index = 0; index < connections; index++) {
                /* libcurl 7.88 fails at a change to HTTP/2 of a connection that has it. */
                curl_easy_setopt(transfers[index].easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
                begin(multi, &transfers[index]);
            }
        }
        int64_t now = now_ns();
        if (!window_start && now - start >= warm_up) {
            window_start = now;
            window_cpu = cpu_seconds();
            ended = 0;
        } else if (window_start && now - window_start >= measured) {
            window_end = now;
        }
    }
    window_cpu = cpu_seconds() - window_cpu;
    size_t known = (size_t)(ended < MAXIMUM_LATENCIES ? ended : MAXIMUM_LATENCIES);
    if (known == 0) fail("requests", "none ended");
    qsort(latencies, known, sizeof *latencies, compare);
    printf("{\"requests\": %ld, \"seconds\": %.6f, \"cpuSeconds\": %.6f, \"peakKiB\": %ld, "
           "\"p50Seconds\": %.9f, \"p99Seconds\": %.9f}\n",
        ended, (double)(window_end - window_start) / 1e9, window_cpu, peak_kibibytes(),
        (double)latencies[known / 2] / 1e9, (double)latencies[known * 99 / 100] / 1e9);
    return 0;
}
