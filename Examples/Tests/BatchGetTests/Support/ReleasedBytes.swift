// SPDX-License-Identifier: MIT
import FlyingFox
import FlyingSocks

/// The content of a resource, as far as it is released.
struct ReleasedBytes: AsyncBufferedSequence {
    typealias Element = UInt8

    let resource: FileServer.Resource
    let range: Range<Int>
    /// Called before the last bytes are handed out: a client that has them all may ask for the next thing at once.
    let onEnd: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, position: range.lowerBound)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        let sequence: ReleasedBytes
        var position: Int

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            let resource = sequence.resource
            guard position < sequence.range.upperBound else { return nil }
            let start = position
            let released = try await resource.released.wait(for: "a release", timeout: .seconds(60)) { $0 > start }
            let end = Swift.min(sequence.range.upperBound, released, start + count)
            position = end
            if end == sequence.range.upperBound { sequence.onEnd() }
            return Array(resource.content[start..<end])
        }
    }
}
