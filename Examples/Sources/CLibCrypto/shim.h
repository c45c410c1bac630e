// OpenSSL's message digests.
#ifndef BATCHGET_CLIBCRYPTO_SHIM_H
#define BATCHGET_CLIBCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
