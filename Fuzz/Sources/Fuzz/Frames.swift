// SPDX-License-Identifier: MIT
import Foundation

/// Frames of HTTP/2 in a form that is easily changed into other frames: a length that no longer fits, as of four bytes more
/// or less, would make one frame out of all that follow.
enum Frames {
    static let prefaceLength = 24
    static let headLength = 9
    static let headers: UInt8 = 1
    /// The server's settings, and that it has taken the client's.
    static let settings = frame(4, 0, 0, []) + frame(4, 1, 0, [])

    /// What follows is sent as it is.
    private static let raw: UInt8 = 0xFF
    /// Type, flags, stream and length, which is two bytes.
    private static let inputHeadLength = 5

    /// A frame as an input has it.
    static func input(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> Data {
        Data([type, flags, stream, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)] + payload)
    }

    /// The frames of an input.
    static func sent(for input: Data) -> Data {
        var rest = [UInt8](input)[...]
        var result = Data()
        while let type = rest.first {
            if type == raw { return result + rest.dropFirst() }
            let head = [UInt8](rest.prefix(inputHeadLength))
            guard head.count == inputHeadLength else { return result + rest }
            rest = rest.dropFirst(inputHeadLength)
            let payload = rest.prefix(Int(head[3]) << 8 + Int(head[4]))
            result += frame(type, head[1], head[2], Array(payload))
            rest = rest.dropFirst(payload.count)
        }
        return result
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, _ stream: UInt8, _ payload: [UInt8]) -> Data {
        let length = payload.count
        let head = [
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length), type, flags, 0, 0, 0, stream,
        ]
        return Data(head + payload)
    }
}
