// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingTransport

/// A file named in a multipart body, and its length when it was appended.
struct FilePart: Sendable {
    let url: URL
    /// nil: not a regular file, which has no length, or one of which the system does not say it, as in `/proc`.
    let length: Int64?

    /// Looks at the file, without opening it.
    init(url: URL) throws {
        guard url.isFileURL else {
            throw RequestSerializationError(
                code: .badURL, reason: "Expected URL to be a file URL", failingURL: url)
        }
        self.url = url
        var status = stat()
        guard stat(url.path, &status) == 0, access(url.path, R_OK) == 0 else {
            throw RequestSerializationError(
                code: .badURL, reason: "File URL not reachable.", failingURL: url,
                underlyingError: POSIXFailure.error(errno, path: url.path))
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw RequestSerializationError(
                code: .badURL, reason: "File URL is a directory; append the files in it one by one.", failingURL: url,
                underlyingError: POSIXFailure.error(EISDIR, path: url.path))
        }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        length = isRegular ? FileLength.known(of: url.path, size: Int64(status.st_size)) : nil
    }

    /// Throws unless the file is still there with the same length: before a byte of the body is sent.
    func check() throws {
        guard let length else { return }
        var status = stat()
        guard stat(url.path, &status) == 0 else { throw unreadable(errno) }
        guard Int64(status.st_size) == length else { throw changed(to: Int64(status.st_size)) }
    }

    func changed(to newLength: Int64?) -> RequestSerializationError {
        RequestSerializationError(
            code: .bodyLengthMismatch,
            reason: "The file \(url.path) changed after it was appended to the form.",
            detail: "It had \(length ?? 0) bytes then and has \(newLength.map(String.init) ?? "more") now; "
                + "build the request again.",
            failingURL: url)
    }

    func unreadable(_ code: Int32) -> RequestSerializationError {
        RequestSerializationError(
            code: .bodyUnreadable, reason: "The file \(url.path) could not be read while the form was sent.",
            failingURL: url, underlyingError: POSIXFailure.error(code, path: url.path))
    }
}

/// Errors of system calls.
enum POSIXFailure {
    static func error(_ code: Int32, path: String) -> any Error {
        DescribedError(
            domain: NSPOSIXErrorDomain, code: Int(code), String(cString: strerror(code)), [NSFilePathErrorKey: path])
    }
}
