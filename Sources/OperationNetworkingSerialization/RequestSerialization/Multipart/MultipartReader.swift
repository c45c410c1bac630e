// SPDX-License-Identifier: MIT
internal import Foundation

/// Produces the bytes of a multipart body, one source after the other, at any size of read.
///
/// Used only by the reader of the body stream.
struct MultipartReader {
    private let sources: [MultipartBody.Source]
    private var nextSource = 0
    private var current: (any PartReader)?

    init(_ body: MultipartBody) {
        sources = body.sources
    }

    /// Throws when a file of the body is no more what it was.
    func check() throws {
        for case .file(let file) in sources { try file.check() }
    }

    /// True if every byte has been read.
    var isAtEnd: Bool { current == nil && nextSource == sources.count }

    /// Fills `buffer`, but does not wait for a slow source when there are bytes to give already. 0: the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
        var filled = 0
        while filled < buffer.count {
            guard let reader = try openReader(mayWait: filled == 0) else { break }
            if filled > 0, reader.mayWait { break }
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try reader.read(into: rest, isCancelled: isCancelled)
            if count == 0 {
                reader.close()
                current = nil
            } else {
                filled += count
                if reader.mayWait { break }
            }
        }
        return filled
    }

    private mutating func openReader(mayWait: Bool) throws -> (any PartReader)? {
        if let current { return current }
        guard nextSource < sources.count else { return nil }
        switch sources[nextSource] {
        case .data(let data): current = DataPartReader(data)
        case .file(let file): current = try FilePartReader(file)
        case .stream(let stream, let name, let length):
            // Opening a caller's stream may take time too.
            guard mayWait else { return nil }
            current = StreamPartReader(stream, name: name, length: length)
        }
        nextSource += 1
        return current
    }

    /// Releases every source, also those not come to yet.
    mutating func close() {
        current?.close()
        current = nil
        for case .stream(let stream, _, _) in sources[nextSource...] { stream.close() }
        nextSource = sources.count
    }
}
