// SPDX-License-Identifier: MIT
internal import CCurl

/// Owns a libcurl multi handle: a pool of connections and the transfers on them.
final class MultiHandle {
    // CURLM *
    let pointer: UnsafeMutableRawPointer
    /// Here because cleaning up calls it.
    let observer: SocketObserver

    /// Nil: out of memory.
    ///
    /// - Parameter next: Where to look first for the descriptors that libcurl makes.
    init?(observer: SocketObserver, expecting next: Int32 = MultiHandle.nextDescriptor()) {
        guard let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        self.observer = observer
        keepWakeupPairPrivate(from: next)
    }

    deinit { curl_multi_cleanup(pointer) }

    func set(_ option: CURLMoption, _ value: Int) -> CurlMultiCode {
        CurlMultiCode(on_curl_multi_setopt_long(pointer, option, value))
    }

    /// Has the observer called for every change of interest in a socket.
    func installObserver() -> CurlMultiCode {
        let context = Unmanaged.passUnretained(observer).toOpaque()
        let code = CurlMultiCode(on_curl_multi_setopt_pointer(pointer, CURLMOPT_SOCKETDATA, context))
        guard code == .CURLM_OK else { return code }
        return CurlMultiCode(on_curl_multi_setopt_socket_function(pointer, SocketObserver.callback))
    }

    func add(_ easy: EasyHandle) -> CurlMultiCode { CurlMultiCode(curl_multi_add_handle(pointer, easy.pointer)) }

    func remove(_ easy: EasyHandle) -> CurlMultiCode { CurlMultiCode(curl_multi_remove_handle(pointer, easy.pointer)) }

    /// Tells libcurl what happened on a socket; CURL_SOCKET_TIMEOUT: its timer is due.
    func act(on socket: Int32, events: Int32) -> CurlMultiCode {
        var running: Int32 = 0
        return CurlMultiCode(curl_multi_socket_action(pointer, socket, events, &running))
    }

    /// Milliseconds until libcurl wants to be called; nil: it is waiting for sockets only.
    func timeout() -> Int? {
        var milliseconds = -1
        guard curl_multi_timeout(pointer, &milliseconds) == CURLM_OK, milliseconds >= 0 else { return nil }
        return milliseconds
    }

    /// The next finished transfer: its handle and result.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: CurlCode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, CurlCode(on_curl_message_result(message)))
        }
        return nil
    }
}

// A libcurl handle belongs to the network thread that made it.
@available(*, unavailable)
extension MultiHandle: Sendable {}
