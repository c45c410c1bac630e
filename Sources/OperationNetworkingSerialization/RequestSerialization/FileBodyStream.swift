// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingTransport

/// A file as a request's content: read while it is sent, and again where the request is sent again.
final class FileBodyStream: UnscheduledInputStream, ReplayableBodyStream {
    private let file: URL
    /// Nil: the system does not say, as of what is in `/proc`.
    private let length: Int64?
    private let url: URL?
    private let stream: InputStream

    /// - Parameter url: what the request is for.
    /// - Throws: `fileDoesNotExist`, `noPermissionsToReadFile`, `fileIsDirectory`.
    init(_ file: URL, for url: URL?) throws(URLError) {
        var status = stat()
        guard file.isFileURL, stat(file.path, &status) == 0, access(file.path, R_OK) == 0 else {
            let isMissing = !file.isFileURL || errno == ENOENT || errno == ENOTDIR
            throw URLError(
                isMissing ? .fileDoesNotExist : .noPermissionsToReadFile, url: url,
                reason: "the file \(file.path) cannot be read", underlying: nil)
        }
        guard status.st_mode & S_IFMT == S_IFREG, let stream = InputStream(url: file) else {
            throw URLError(.fileIsDirectory, url: url, reason: "\(file.path) is not a file")
        }
        self.file = file
        self.url = url
        self.stream = stream
        length = FileLength.known(of: file.path, size: Int64(status.st_size))
        super.init(data: Data())
    }

    var contentLength: Int64? { length }
    var isReplayable: Bool { true }
    func makeReplay() throws -> InputStream { try FileBodyStream(file, for: url) }

    override func open() { stream.open() }
    override func close() { stream.close() }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        stream.read(buffer, maxLength: length)
    }
    override var hasBytesAvailable: Bool { stream.hasBytesAvailable }
    override var streamStatus: Stream.Status { stream.streamStatus }
    override var streamError: (any Error)? { stream.streamError }
}

extension InputStream {
    /// Opens a file as a request's content, which is read again where the request is sent again.
    ///
    /// - Parameter url: what the request is for.
    /// - Throws: `fileDoesNotExist`, `noPermissionsToReadFile`, `fileIsDirectory`.
    package static func body(
        ofFile file: URL, for url: URL?
    ) throws(URLError) -> any InputStream & ReplayableBodyStream {
        try FileBodyStream(file, for: url)
    }

    /// True for a stream that `body(ofFile:for:)` made.
    package var isBodyOfFile: Bool { self is FileBodyStream }
}
