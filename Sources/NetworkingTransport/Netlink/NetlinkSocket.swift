// SPDX-License-Identifier: MIT
internal import CLinux
internal import Glibc

/// A socket to the kernel's routing tables. Closed with this object.
package final class NetlinkSocket: Sendable {
    /// The result of a receive.
    enum Reception: Equatable {
        case datagram(ArraySlice<UInt8>)
        /// Messages were lost, because too many came, or one was longer than the buffer.
        case overrun
    }

    /// Larger than any message of interest; the kernel's own limit for lists.
    static let bufferSize = 32_768

    let descriptor: Int32

    /// - Parameter hearsChanges: whether it is sent what changes.
    init(hearsChanges: Bool) throws(NetlinkError) {
        descriptor = on_netlink_socket(hearsChanges ? 1 : 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
    }

    deinit {
        // Also after an initializer that threw.
        if descriptor >= 0 { close(descriptor) }
    }

    /// The next datagram of the kernel's; nil: none has come yet.
    func receive(_ buffer: inout [UInt8]) throws(NetlinkError) -> Reception? {
        while true {
            var isKernels: Int32 = 0
            let count = on_netlink_receive(descriptor, &buffer, buffer.count, &isKernels)
            guard count >= 0 else {
                switch errno {
                case EINTR: continue
                case EAGAIN: return nil
                case ENOBUFS: return .overrun
                case let code: throw .system(call: "recvfrom", errno: code)
                }
            }
            guard isKernels != 0 else { continue }
            return count > buffer.count ? .overrun : .datagram(buffer[..<count])
        }
    }

    /// Sends a request, and returns its answer, which the kernel gives before `send` returns.
    func answer(to request: [UInt8], sequence: UInt32) throws(NetlinkError) -> NetlinkMessage {
        guard send(descriptor, request, request.count, 0) == request.count else {
            throw .system(call: "send", errno: errno)
        }
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        while let reception = try receive(&buffer) {
            guard case .datagram(let bytes) = reception else { throw .noAnswer }
            guard let message = try NetlinkMessage.messages(in: bytes).first(where: { $0.sequence == sequence }) else {
                continue
            }
            if let code = message.errorCode { throw .refused(errno: code) }
            return message
        }
        throw .noAnswer
    }
}
