// OpenSSL as Swift sees it: the headers, and functions for what they offer as macros only.
#ifndef OPERATION_NETWORKING_COPENSSL_SHIM_H
#define OPERATION_NETWORKING_COPENSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// The bytes a memory BIO holds, owned by it.
static inline long ONSSL_BIO_get_mem_data(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

// A name as RFC 2253 text: control characters escaped, UTF-8 kept.
static inline int ONSSL_X509_NAME_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, (XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) | XN_FLAG_SEP_CPLUS_SPC);
}

static inline int ONSSL_SSL_CTX_get_ex_new_index(CRYPTO_EX_free *free_function) {
    return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_function);
}

static inline int ONSSL_SSL_CTX_set_proto_versions(SSL_CTX *context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}

static inline int ONSSL_SSL_CTX_get_min_proto_version(SSL_CTX *context) {
    return (int)SSL_CTX_get_min_proto_version(context);
}

// Asks servers for a stapled OCSP response and names who looks at it.
static inline int ONSSL_SSL_CTX_request_ocsp(SSL_CTX *context, int (*callback)(SSL *, void *)) {
    return SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp)
        && SSL_CTX_set_tlsext_status_cb(context, callback);
}

static inline long ONSSL_SSL_get_ocsp_response(SSL *ssl, const unsigned char **bytes) {
    return SSL_get_tlsext_status_ocsp_resp(ssl, bytes);
}

#endif
