// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The header before each response in a `Segment`.
///
/// | at | bytes | |
/// |---|---|---|
/// | 0 | 4 | "ONR2": what it is, and which version of it |
/// | 4 | 4 | whether the response is there: anything else than `live`, and it was removed |
/// | 8 | 32 | the key's digest |
/// | 40 | 8 | when it was stored, in nanoseconds since 1970 |
/// | 48 | 4 | bytes of the record that follows the header |
/// | 52 | 8 | bytes of the content that follows the record |
/// | 60 | 32 | SHA-256 of 8…59, record and content: looked at before anything of these is |
/// | 92 | 8 | a check sum of 8…59 (FNV-1a): the next header is looked for only where it is right |
///
/// All numbers with the lowest byte first.
struct RecordHeader: Sendable {
    static let length = 100
    private static let magic = Array("ONR2".utf8)
    private static let live: [UInt8] = [0x4C, 0x49, 0x56, 0x45]
    /// The bytes that mark a response as removed, and their offset. All that is needed to find the next header stays.
    static let removal = (offset: 4, bytes: [UInt8](repeating: 0, count: 4))
    static let digestOffset = 60

    let key: CacheKey.Digest
    let time: UInt64
    let recordLength: Int
    let contentLength: Int
    /// Nil: the response was removed.
    private let digest: CacheKey.Digest?

    /// The bytes of the whole response in a segment.
    var totalLength: Int { Self.length + recordLength + contentLength }

    /// Appends the bytes of a response's header, and of the record, and returns the header; nil: there is no digest.
    static func append(
        _ response: StoredResponse, key: CacheKey.Digest, time: UInt64, to bytes: inout [UInt8]
    ) -> RecordHeader? {
        let record = response.record
        let header = RecordHeader(
            key: key, time: time, recordLength: record.count, contentLength: response.content.count)
        let described = header.described
        guard let digest = response.content.withUnsafeBytes({ Self.digest(described, record, $0) }) else { return nil }
        var sum = RecordWriter()
        sum.put(Self.sum(described))
        bytes += magic
        bytes += live
        bytes += described
        bytes += digest.bytes
        bytes += sum.bytes
        bytes += record
        return RecordHeader(header, digest: digest)
    }

    private init(key: CacheKey.Digest, time: UInt64, recordLength: Int, contentLength: Int) {
        (self.key, self.time, self.recordLength, self.contentLength) = (key, time, recordLength, contentLength)
        digest = nil
    }

    private init(_ other: RecordHeader, digest: CacheKey.Digest) {
        (key, time, recordLength, contentLength) = (other.key, other.time, other.recordLength, other.contentLength)
        self.digest = digest
    }

    /// The part of the header that the digest and the check sum cover, before the record.
    private var described: [UInt8] {
        var writer = RecordWriter(capacity: Self.digestOffset - 8)
        writer.put(raw: key.bytes)
        writer.put(time)
        writer.put(UInt32(clamping: recordLength))
        writer.put(UInt64(contentLength))
        return writer.bytes
    }

    /// Nil: this is no header.
    ///
    /// - Parameter limit: bytes that the whole response may have.
    init?(_ bytes: [UInt8], limit: Int) {
        guard bytes.count == Self.length, bytes.starts(with: Self.magic) else { return nil }
        let middle = bytes[8..<Self.digestOffset]
        var reader = RecordReader(bytes, from: Self.digestOffset + CacheKey.Digest.length)
        guard reader.take(UInt64.self) == Self.sum(middle),
            let key = CacheKey.Digest(middle.prefix(CacheKey.Digest.length))
        else { return nil }
        reader = RecordReader(bytes, from: 8 + CacheKey.Digest.length)
        guard let time = reader.take(UInt64.self), let recordLength = reader.take(UInt32.self),
            let contentLength = reader.take(UInt64.self),
            UInt64(limit) >= UInt64(Self.length) + UInt64(recordLength),
            UInt64(limit) - UInt64(Self.length) - UInt64(recordLength) >= contentLength
        else { return nil }
        self.key = key
        self.time = time
        self.recordLength = Int(recordLength)
        self.contentLength = Int(contentLength)
        digest = bytes[4..<8].elementsEqual(Self.live) ? CacheKey.Digest(bytes[Self.digestOffset..<92]) : nil
    }

    var isLive: Bool { digest != nil }

    /// Returns true if these are the bytes that were stored.
    func confirms(record: [UInt8], content: Data) -> Bool {
        content.withUnsafeBytes { content in Self.digest(described, record, content) } == digest && isLive
    }

    private static func digest(
        _ middle: [UInt8], _ record: [UInt8], _ content: UnsafeRawBufferPointer
    ) -> CacheKey.Digest? {
        var hasher = SHA256Hasher()
        middle.withUnsafeBytes { hasher.update($0) }
        record.withUnsafeBytes { hasher.update($0) }
        hasher.update(content)
        return (try? hasher.finishBytes()).flatMap { CacheKey.Digest($0) }
    }

    /// Different for any two that differ in one byte.
    private static func sum(_ bytes: some Collection<UInt8>) -> UInt64 {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return sum
    }
}
