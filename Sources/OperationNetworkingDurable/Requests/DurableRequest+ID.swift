// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

extension DurableRequest {
    /// The name of a request in a store, a UUID that is the same on every machine.
    ///
    /// It is made where the request is added, not by the store. So an addition whose outcome is not known, because the
    /// connection to the store was lost, can be repeated: an ID that the store has already is left as it is.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        /// The UUID.
        public let uuid: UUID

        /// An ID by its UUID.
        public init(_ uuid: UUID) {
            self.uuid = uuid
        }

        /// A new ID. It begins with the time (RFC 9562, version 7), so that IDs made one after the other lie side by
        /// side in a store's index.
        public init() {
            var generator = SystemRandomNumberGenerator()
            self.init(
                milliseconds: Int64(Date().timeIntervalSince1970 * 1000), chance: generator.next(), generator.next())
        }

        /// The ID that stands for a name, the same whenever it is made. A request that is added under it by two
        /// processes, or by a program that was started again, is in the store once.
        ///
        /// - Parameter name: any text, such as method and URL. It cannot be read from the ID.
        /// - Throws: an error if OpenSSL has no SHA-256.
        public init(name: String) throws {
            var hasher = SHA256Hasher()
            hasher.update("OperationNetworking.DurableRequest\u{0}")
            hasher.update(name)
            self.init(bytes: Array(try hasher.finishBytes().prefix(16)), version: 8)
        }

        init(milliseconds: Int64, chance first: UInt64, _ second: UInt64) {
            var bytes = withUnsafeBytes(of: milliseconds.bigEndian) { Array($0.suffix(6)) }
            bytes += withUnsafeBytes(of: first) { Array($0.prefix(2)) }
            bytes += withUnsafeBytes(of: second) { Array($0) }
            self.init(bytes: bytes, version: 7)
        }

        /// - Parameter bytes: sixteen; what is missing counts as 0.
        private init(bytes: [UInt8], version: UInt8) {
            var bytes = bytes + Array(repeating: 0, count: max(0, 16 - bytes.count))
            bytes[6] = bytes[6] & 0x0F | version << 4
            bytes[8] = bytes[8] & 0x3F | 0x80
            uuid = UUID(
                uuid: (
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                    bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                ))
        }

        /// An ID by its 16 bytes, as stores keep them. `nil` for another number of bytes.
        public init?(bytes: some Collection<UInt8>) {
            guard bytes.count == 16 else { return nil }
            var uuid = UUID().uuid
            withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
            self.uuid = UUID(uuid: uuid)
        }

        /// The 16 bytes of the UUID.
        public var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

        /// The UUID in its usual form, in small letters.
        public var description: String { uuid.uuidString.lowercased() }

        /// Reads the usual form of a UUID.
        public init(from decoder: any Decoder) throws {
            uuid = try decoder.singleValueContainer().decode(UUID.self)
        }

        /// Writes the usual form of a UUID.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(uuid)
        }
    }
}
