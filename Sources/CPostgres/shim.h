// What is used of libpq, looked up when the first PostgreSQL store is opened: a program that keeps its requests in SQLite
// needs neither PostgreSQL's headers nor its library.
#ifndef OPERATION_NETWORKING_CPOSTGRES_SHIM_H
#define OPERATION_NETWORKING_CPOSTGRES_SHIM_H

#include <dlfcn.h>
#include <stddef.h>

typedef struct on_pq_connection on_pq_connection;
typedef struct on_pq_result on_pq_result;
typedef void (*on_pq_notice)(void *context, const char *message);

// PQconninfoOption.
typedef struct on_pq_option {
    char *keyword;
    char *environment;
    char *compiled;
    char *value;
    char *label;
    char *display;
    int size;
} on_pq_option;

// The beginning of PGnotify.
typedef struct on_pq_notification {
    char *channel;
    int process;
    char *payload;
} on_pq_notification;

enum {
    ON_PQ_CONNECTION_OK = 0,
    ON_PQ_COMMAND_OK = 1,
    ON_PQ_TUPLES_OK = 2,
    ON_PQ_FIELD_SQLSTATE = 'C',
    ON_PQ_FIELD_MESSAGE = 'M',
};

// libpq's functions, each by its name without PQ.
typedef struct on_pq {
    int (*isthreadsafe)(void);
    on_pq_option *(*conninfoParse)(const char *text, char **message);
    void (*conninfoFree)(on_pq_option *options);
    on_pq_connection *(*connectdbParams)(const char *const *keywords, const char *const *values, int expand);
    void (*finish)(on_pq_connection *connection);
    int (*status)(const on_pq_connection *connection);
    int (*serverVersion)(const on_pq_connection *connection);
    int (*socket)(const on_pq_connection *connection);
    char *(*errorMessage)(const on_pq_connection *connection);
    char *(*host)(const on_pq_connection *connection);
    char *(*port)(const on_pq_connection *connection);
    char *(*db)(const on_pq_connection *connection);
    int (*setnonblocking)(on_pq_connection *connection, int nonblocking);
    on_pq_notice (*setNoticeProcessor)(on_pq_connection *connection, on_pq_notice processor, void *context);
    int (*sendPrepare)(
        on_pq_connection *connection, const char *name, const char *text, int count, const unsigned int *types);
    int (*sendQueryPrepared)(
        on_pq_connection *connection, const char *name, int count,
        const char *const *values, const int *lengths, const int *formats, int format);
    int (*sendQuery)(on_pq_connection *connection, const char *text);
    int (*flush)(on_pq_connection *connection);
    int (*consumeInput)(on_pq_connection *connection);
    int (*isBusy)(on_pq_connection *connection);
    on_pq_result *(*getResult)(on_pq_connection *connection);
    on_pq_notification *(*notifies)(on_pq_connection *connection);
    int (*resultStatus)(const on_pq_result *result);
    char *(*resultErrorField)(const on_pq_result *result, int field);
    int (*ntuples)(const on_pq_result *result);
    char *(*cmdTuples)(on_pq_result *result);
    int (*getisnull)(const on_pq_result *result, int row, int column);
    int (*getlength)(const on_pq_result *result, int row, int column);
    char *(*getvalue)(const on_pq_result *result, int row, int column);
    void (*clear)(on_pq_result *result);
    void (*freemem)(void *memory);
} on_pq;

static inline void on_pq_ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

// Notices are for people at a terminal; libpq would print them on standard error.
static inline void on_pq_silence(const on_pq *pq, on_pq_connection *connection) {
    pq->setNoticeProcessor(connection, on_pq_ignore_notice, NULL);
}

static inline int on_pq_find(void *library, const char *name, void **function) {
    *function = dlsym(library, name);
    return *function != NULL;
}

// Finds libpq. 0: it is not there, or lacks a function. The library stays loaded.
static inline int on_pq_load(on_pq *pq) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    return on_pq_find(library, "PQisthreadsafe", (void **)&pq->isthreadsafe)
        && on_pq_find(library, "PQconninfoParse", (void **)&pq->conninfoParse)
        && on_pq_find(library, "PQconninfoFree", (void **)&pq->conninfoFree)
        && on_pq_find(library, "PQconnectdbParams", (void **)&pq->connectdbParams)
        && on_pq_find(library, "PQfinish", (void **)&pq->finish)
        && on_pq_find(library, "PQstatus", (void **)&pq->status)
        && on_pq_find(library, "PQserverVersion", (void **)&pq->serverVersion)
        && on_pq_find(library, "PQsocket", (void **)&pq->socket)
        && on_pq_find(library, "PQerrorMessage", (void **)&pq->errorMessage)
        && on_pq_find(library, "PQhost", (void **)&pq->host)
        && on_pq_find(library, "PQport", (void **)&pq->port)
        && on_pq_find(library, "PQdb", (void **)&pq->db)
        && on_pq_find(library, "PQsetnonblocking", (void **)&pq->setnonblocking)
        && on_pq_find(library, "PQsetNoticeProcessor", (void **)&pq->setNoticeProcessor)
        && on_pq_find(library, "PQsendPrepare", (void **)&pq->sendPrepare)
        && on_pq_find(library, "PQsendQueryPrepared", (void **)&pq->sendQueryPrepared)
        && on_pq_find(library, "PQsendQuery", (void **)&pq->sendQuery)
        && on_pq_find(library, "PQflush", (void **)&pq->flush)
        && on_pq_find(library, "PQconsumeInput", (void **)&pq->consumeInput)
        && on_pq_find(library, "PQisBusy", (void **)&pq->isBusy)
        && on_pq_find(library, "PQgetResult", (void **)&pq->getResult)
        && on_pq_find(library, "PQnotifies", (void **)&pq->notifies)
        && on_pq_find(library, "PQresultStatus", (void **)&pq->resultStatus)
        && on_pq_find(library, "PQresultErrorField", (void **)&pq->resultErrorField)
        && on_pq_find(library, "PQntuples", (void **)&pq->ntuples)
        && on_pq_find(library, "PQcmdTuples", (void **)&pq->cmdTuples)
        && on_pq_find(library, "PQgetisnull", (void **)&pq->getisnull)
        && on_pq_find(library, "PQgetlength", (void **)&pq->getlength)
        && on_pq_find(library, "PQgetvalue", (void **)&pq->getvalue)
        && on_pq_find(library, "PQclear", (void **)&pq->clear)
        && on_pq_find(library, "PQfreemem", (void **)&pq->freemem);
}

#endif
