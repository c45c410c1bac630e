// SPDX-License-Identifier: MIT
import Foundation
import Glibc

extension RudeServer.Connection {
    /// Whether the connection goes on.
    func answer(_ request: Request) -> Bool {
        let parts = request.path.components(separatedBy: "/")
        guard parts.count > 1 else { return send(status: "404 Not Found", Data()) && !request.isLast }
        let numbers = (parts.last ?? "").components(separatedBy: "-").compactMap { Int($0) }
        let (first, seed) = numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 0)
        let goesOn: Bool
        switch parts[1] {
        case "b": goesOn = sendBytes(request.query, Content.bytes(first, seed))
        case "echo": goesOn = send(status: "200 OK", Data(request.body))
        case "events": goesOn = sendEvents(first, seed)
        case "moved":
            goesOn = send(
                status: "302 Found", Data("moved".utf8), fields: "Location: ../b/\(first)-\(seed)\r\n")
        default: goesOn = send(status: "404 Not Found", Data("no such path".utf8))
        }
        return goesOn && !request.isLast
    }

    private func head(_ status: String, length: Int?, fields: String = "") -> [UInt8] {
        let framing = length.map { "Content-Length: \($0)\r\n" } ?? "Transfer-Encoding: chunked\r\n"
        let type = fields.contains("Content-Type") ? "" : "Content-Type: application/octet-stream\r\n"
        return Array("HTTP/1.1 \(status)\r\n\(type)\(fields)\(framing)\r\n".utf8)
    }

    private func send(status: String, _ body: Data, fields: String = "") -> Bool {
        write(head(status, length: body.count, fields: fields) + body)
    }

    private func sendBytes(_ query: [String: Int], _ body: Data) -> Bool {
        if query["early"] != nil { return reset() }
        if let count = query["short"] ?? query["reset"] {
            guard write(head("200 OK", length: body.count) + body.prefix(count)) else { return false }
            return query["reset"] == nil ? false : reset()
        }
        let pieces = query["slow"] == nil ? 1 : 4
        let isChunked = query["chunked"] != nil
        guard write(head("200 OK", length: isChunked ? nil : body.count)) else { return false }
        let size = max(1, (body.count + pieces - 1) / pieces)
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(size)
            let framed =
                isChunked
                ? Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10] : Array(piece)
            guard write(framed) else { return false }
            if pieces > 1 { usleep(3_000) }
        }
        return isChunked ? write(Array("0\r\n\r\n".utf8)) : true
    }

    private func sendEvents(_ count: Int, _ seed: Int) -> Bool {
        let fields =
            "Content-Type: text/event-stream\r\nCache-Control: no-store\r\nX-Accel-Buffering: no\r\n"
        guard write(head("200 OK", length: nil, fields: fields)) else { return false }
        for index in 0..<count {
            let event = Array("id: \(index)\ndata: \(Content.event(index, seed))\n\n".utf8)
            guard write(Array("\(String(event.count, radix: 16))\r\n".utf8) + event + [13, 10]) else {
                return false
            }
            if index % 8 == 7 { usleep(1_000) }
        }
        return write(Array("0\r\n\r\n".utf8))
    }

    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        return bytes.withUnsafeBytes { bytes in
            while sent < bytes.count {
                let count = Glibc.send(
                    descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// Makes the end of the connection a TCP reset.
    private func reset() -> Bool {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        return false
    }
}
