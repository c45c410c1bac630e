// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

extension Faces {
    static let streamFaces: [(name: String, make: Maker)] = [
        ("chunks", { ResponseStreamFace($0, .chunks) }),
        ("chunks-left", { ResponseStreamFace($0, .chunksLeft) }),
        ("bytes", { ResponseStreamFace($0, .bytes) }),
        ("lines", { ResponseStreamFace($0, .lines) }),
        ("events", { ResponseStreamFace($0, .events) }),
    ]
}

/// The sequences of a response.
struct ResponseStreamFace: Face {
    enum Sequence { case chunks, chunksLeft, bytes, lines, events }
    let sequence: Sequence
    let manager: HTTPRequestOperationManager

    init(_ context: CellContext, _ sequence: Sequence) {
        manager = context.makeManager()
        self.sequence = sequence
    }

    var kind: CellContext.Kind {
        switch sequence {
        case .chunks, .chunksLeft, .bytes: .bytes
        case .lines: .text
        case .events: .events
        }
    }

    func expected(_ call: Call) -> Data {
        switch sequence {
        case .lines:
            let lines = Content.text(call.size, call.seed).split(
                separator: "\n", omittingEmptySubsequences: false)
            return Data(lines.joined(separator: "\n").utf8)
        case .events:
            return Data(
                (0..<call.size % 100).map { "\($0) \(Content.event($0, call.seed))" }.joined(
                    separator: "\n"
                ).utf8)
        default: return Content.bytes(call.size, call.seed)
        }
    }

    func reply(to call: Call) async -> Reply {
        let operation = HTTPRequestOperation(request: call.request)
        manager.configure(operation)
        if call.choice % 3 == 0 { manager.operationQueue.addOperation(operation) }
        let (sequence, answer) = (sequence, call.answer)
        let expected = expected(call)
        let read: @Sendable (HTTPRequestOperation) async throws -> Reply = { operation in
            var data = Data()
            switch sequence {
            case .chunks:
                for try await chunk in operation.chunks {
                    data += chunk
                    if call.choice % 7 == 0 { await Call.sleep(call.choice % 900) }
                }
            case .chunksLeft:
                for try await chunk in operation.chunks {
                    data += chunk
                    if data.count > call.choice % (call.size + 1) { break }
                }
                guard expected.starts(with: data) else { throw Unexpected("other bytes") }
                return call.mustFail
                    ? .failure(URLError(.networkConnectionLost)) : .checked(bytes: data.count)
            case .bytes: for try await byte in operation.bytes { data.append(byte) }
            case .lines:
                var lines: [String] = []
                for try await line in operation.lines { lines.append(line) }
                var text = lines.joined(separator: "\n")
                if expected.last == UInt8(ascii: "\n") { text += "\n" }
                data = Data(text.utf8)
            case .events:
                var events: [String] = []
                for try await event in operation.events { events.append("\(event.id) \(event.data)") }
                data = Data(events.joined(separator: "\n").utf8)
            }
            return .content(data, status: nil)
        }
        guard call.choice % 2 == 0 else {
            call.ledger.watch(operation, call.answer.name)
            return await call.run { try await read(operation) }
        }
        return await call.drive(
            operation,
            Call.Controls(
                start: { operation in
                    Task { do { answer.give(try await read(operation)) } catch { answer.give(error) } }
                },
                cancel: { $0.cancel() }, pause: { $0.pause() }, resume: { $0.resume() }))
    }
}
