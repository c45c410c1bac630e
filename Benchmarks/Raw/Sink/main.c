/* An HTTP server that takes uploads and throws them away as fast as the kernel can: the content is dropped
 * with MSG_TRUNC, without being copied. Answers "100 Continue" when asked, and 200 at the end.
 *
 *   UploadSink      prints its port on 127.0.0.1, then serves until it is ended, or its standard input is
 *                   closed; a thread for each connection. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_CAPACITY = 1 << 16, DROP_LENGTH = 1 << 20 };

static int send_all(int socket, const char *text) {
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t sent = send(socket, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        text += sent;
        length -= (size_t)sent;
    }
    return 0;
}

/* The value of a header field, or NULL. `head` ends in a zero byte. */
static const char *field(const char *head, const char *name) {
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':') {
            line += length + 1;
            return line + strspn(line, " \t");
        }
    }
    return NULL;
}

/* Serves one request; 0 when another may follow on the connection. */
static int serve_request(int socket, char *head) {
    size_t length = 0;
    char *end = NULL;
    /* What was read beyond the head counts as content. */
    while (!end) {
        if (length == HEAD_CAPACITY) return -1;
        ssize_t received = recv(socket, head + length, HEAD_CAPACITY - length, 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return -1;
        length += (size_t)received;
        head[length] = 0;
        end = strstr(head, "\r\n\r\n");
    }
    long long surplus = (long long)length - (end + 4 - head);
    end[2] = 0;
    const char *announced = field(head, "Content-Length"), *expectation = field(head, "Expect");
    if (field(head, "Transfer-Encoding")) {
        send_all(socket, "HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return -1;
    }
    if (expectation && strncasecmp(expectation, "100-continue", 12) == 0
        && send_all(socket, "HTTP/1.1 100 Continue\r\n\r\n") != 0)
        return -1;
    long long left = (announced ? strtoll(announced, NULL, 10) : 0) - surplus;
    while (left > 0) {
        ssize_t received = recv(socket, NULL, left < DROP_LENGTH ? (size_t)left : DROP_LENGTH, MSG_TRUNC);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return -1;
        left -= received;
    }
    if (left < 0) return -1;
    return send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok");
}

static void *serve_connection(void *argument) {
    int socket = (int)(intptr_t)argument;
    char *head = malloc(HEAD_CAPACITY + 1);
    while (head && serve_request(socket, head) == 0) {}
    free(head);
    close(socket);
    return NULL;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 16) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        perror("UploadSink");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct pollfd watched[2] = {{.fd = listener, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
        if (poll(watched, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return 1;
        }
        if (watched[1].revents) return 0;
        int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (connection < 0) continue;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve_connection, (void *)(intptr_t)connection) == 0)
            pthread_detach(thread);
        else
            close(connection);
    }
}
