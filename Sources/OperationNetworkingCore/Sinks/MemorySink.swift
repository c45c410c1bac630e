// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// Collects content in one growing block of memory, which becomes the response's `Data` without a copy.
// Sendable because everything mutable is touched on the network thread only, until `takeData()`, which is called once,
// after the last write has happened before it.
final class MemorySink: ResponseSink, @unchecked Sendable {
    private var base: UnsafeMutableRawPointer?
    private var count = 0
    private var capacity = 0
    private let limit: Int
    /// True if what exceeds the limit is left out, in place of a failure.
    private let truncates: Bool
    private var isTruncated = false
    /// Bytes taken, before they were decoded.
    private var received: Int64 = 0
    /// Nil for content that comes as it is.
    private var decoder: ContentDecoder?
    /// The largest size of the first block. Memory of the announced size is asked for once, but a head is trusted no
    /// further than this.
    private static let largestFirstBlock = 1 << 20

    /// - Parameters:
    ///   - limit: bytes that are taken at most.
    ///   - content: what an archived operation had received.
    ///   - truncates: what exceeds the limit is left out.
    init(limit: Int, content: Data = Data(), truncates: Bool = false) {
        self.limit = max(limit, content.count)
        self.truncates = truncates
        guard !content.isEmpty else { return }
        _ = content.withUnsafeBytes { write($0) }
    }

    deinit {
        free(base)
    }

    var bytesAccepted: Int64 { received }
    var bytesDecoded: Int64 { Int64(count) }
    var isUntouched: Bool { received == 0 }
    var canContinue: Bool { decoder == nil }
    var canRestart: Bool { true }

    func open(_ events: any ResponseSinkEvents) {}

    /// Tells how much content is to come, if known.
    func expect(_ length: Int64) {
        guard base == nil, length > 0 else { return }
        _ = grow(to: Int(min(length, Int64(Self.largestFirstBlock))))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        received &+= Int64(bytes.count)
        guard !isTruncated else { return .enough }
        guard let decoder else { return append(bytes) }
        do {
            try decoder.decode(bytes) { piece in
                switch append(piece) {
                case .fail(let error): throw error
                case .enough: throw Truncated()
                case .accepted, .pause: break
                }
            }
            return .accepted
        } catch is Truncated {
            return .enough
        } catch {
            return .fail(TransferError(sink: error))
        }
    }

    /// Ends the decoding of what is not wanted.
    private struct Truncated: Error {}

    private func append(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return .accepted }
        guard bytes.count <= limit - count else {
            guard !truncates else {
                let rest = UnsafeRawBufferPointer(rebasing: bytes.prefix(limit - count))
                if !rest.isEmpty, case .fail(let error) = append(rest) { return .fail(error) }
                isTruncated = true
                return .enough
            }
            return .fail(
                TransferError(
                    .tooLarge,
                    message: "the content exceeds the limit of \(limit) bytes for content kept in memory; "
                        + "raise maximumResponseBodySize, or set an outputStream or a downloadDestination"))
        }
        if count + bytes.count > capacity, !grow(to: max(count + bytes.count, capacity + capacity / 2)) {
            return .fail(TransferError(.outOfMemory, message: "no memory for \(count + bytes.count) bytes of content"))
        }
        guard let base else { return .accepted }
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
        return .accepted
    }

    func begin(_ representation: Representation?, as form: ContentForm) {
        count = 0
        received = 0
        isTruncated = false
        decoder = form.makeDecoder()
    }

    /// The content has ended. Not nil: it is not the whole.
    func complete() -> TransferError? {
        do throws(TransferError) {
            if !isTruncated { try decoder?.finish() }
            return nil
        } catch {
            return error
        }
    }

    func finish(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        completion(nil)
    }

    /// Nothing to do: the memory goes with the sink, which a cache block may be reading at this moment.
    func discard(_ completion: (@Sendable () -> Void)?) { completion?() }

    /// Gives the content away.
    func takeData() -> Data {
        guard let block = base, count > 0 else { return Data() }
        let data = Data(bytesNoCopy: block, count: count, deallocator: .free)
        base = nil
        count = 0
        capacity = 0
        return data
    }

    /// A copy of what is here, for an archive.
    func snapshot() -> Data {
        guard let base, count > 0 else { return Data() }
        return Data(bytes: base, count: count)
    }

    private func grow(to size: Int) -> Bool {
        guard let block = realloc(base, max(size, 512)) else { return false }
        base = block
        capacity = max(size, 512)
        return true
    }
}
