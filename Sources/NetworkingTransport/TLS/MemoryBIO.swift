// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Foundation

/// Bytes in memory that OpenSSL reads from or writes to. Used within one function, never kept.
final class MemoryBIO {
    /// BIO *, owned.
    let handle: OpaquePointer

    /// An empty one, to be written to.
    init() throws(OpenSSLError) {
        OpenSSLRuntime.prepare()
        guard let handle = BIO_new(BIO_s_mem()) else { throw OpenSSLError.drain() }
        self.handle = handle
    }

    /// PEM text that is read from.
    ///
    /// OpenSSL finds a block by the line that it begins with: before the first one, editors put a mark of the encoding,
    /// with which that block would be passed over.
    convenience init(copyingPEM data: Data) throws(OpenSSLError) {
        try self.init()
        var rest = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { bytes -> Int in
                Int(BIO_write(handle, bytes.baseAddress, Int32(clamping: bytes.count)))
            }
            guard written > 0 else { throw OpenSSLError.drain() }
            rest = rest.dropFirst(written)
        }
    }

    deinit { BIO_free(handle) }

    /// The bytes that have been written and not been read.
    var contents: Data {
        var start: UnsafeMutablePointer<CChar>?
        let count = ONSSL_BIO_get_mem_data(handle, &start)
        guard let start, count > 0 else { return Data() }
        return Data(bytes: start, count: count)
    }
}
