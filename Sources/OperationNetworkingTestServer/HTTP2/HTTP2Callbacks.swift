// SPDX-License-Identifier: MIT
internal import CNghttp2
internal import Foundation

/// The functions that nghttp2 calls. The context is the session, which owns nghttp2's and so outlives every call.
enum HTTP2Callbacks {
    static var table: on_h2_callbacks {
        on_h2_callbacks(
            began_headers: { _, frame, context in
                guard let frame, let session = HTTP2Callbacks.session(context) else { return 0 }
                // Others are trailers.
                if session.stream(frame.pointee.stream) == nil { session.began(frame.pointee.stream) }
                return 0
            },
            received_field: { _, frame, name, nameLength, value, valueLength, _, context in
                guard let frame, let session = HTTP2Callbacks.session(context),
                    let stream = session.stream(frame.pointee.stream)
                else { return 0 }
                stream.add(
                    UnsafeBufferPointer(start: name, count: nameLength),
                    UnsafeBufferPointer(start: value, count: valueLength))
                return 0
            },
            received_frame: { _, frame, context in
                guard let frame, let session = HTTP2Callbacks.session(context) else { return 0 }
                let kind = Int32(frame.pointee.type)
                let isMessage = kind == ON_H2_FRAME_DATA || kind == ON_H2_FRAME_HEADERS
                let isLast = frame.pointee.flags & UInt8(ON_H2_FLAG_END_STREAM) != 0
                guard isMessage else { return 0 }
                if isLast { session.completed(frame.pointee.stream) } else { session.headEnded(frame.pointee.stream) }
                return 0
            },
            received_data: { _, _, id, bytes, count, context in
                guard let stream = HTTP2Callbacks.session(context)?.stream(id) else { return 0 }
                stream.add(content: UnsafeBufferPointer(start: bytes, count: count))
                return 0
            },
            closed_stream: { _, id, _, context in
                HTTP2Callbacks.session(context)?.closed(id)
                return 0
            })
    }

    /// Takes content of a response.
    static let read: on_h2_read = { _, id, buffer, length, flags, _, context in
        guard let stream = HTTP2Callbacks.session(context)?.stream(id), let buffer, let flags else {
            return Int(ON_H2_STREAM_FAILURE)
        }
        let (count, isLast) = stream.takeContent(UnsafeMutableRawBufferPointer(start: buffer, count: length))
        if isLast { flags.pointee |= UInt32(ON_H2_DATA_EOF) }
        return count == 0 && !isLast ? Int(ON_H2_DEFERRED) : count
    }

    private static func session(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
        context.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }
}
