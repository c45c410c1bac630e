// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// What a user's serializer does may take any time: nobody else waits for the thread that it has.
@Suite("Serializers of a user's that wait", .timeLimit(.minutes(2))) struct SlowSerializerTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respond(to: "/slow", .ok("[1]", type: "application/json"))
        server.respond(to: "/other", .ok("[2]", type: "application/json"))
    }

    static let kinds = [
        "a subclass that parses", "a subclass that validates", "a member of a compound one",
        "a value that decodes itself",
    ]

    private func serializer(_ kind: String, _ door: Door) -> HTTPResponseSerializer {
        switch kind {
        case "a subclass that parses": WaitingSerializer(door)
        case "a subclass that validates": WaitingValidation(door)
        case "a value that decodes itself":
            DecodableResponseSerializer<WaitingValue>(decoder: WaitingValue.decoder(door))
        default: CompoundResponseSerializer(responseSerializers: [WaitingMember(door: door)])
        }
    }

    @Test("64 of them wait, and requests of the same origin and of the same queue go on", arguments: kinds)
    func others(kind: String) async throws {
        let manager = HTTPRequestOperationManager.offMain(nil)
        manager.operationQueue.maxConcurrentOperationCount = 80
        let door = Door()
        defer { door.gate.open() }
        let ended = Locked(0)
        let slow = (0..<64).map { _ in
            let operation = manager.httpRequestOperation(
                with: URLRequest(url: server.url("/slow")), success: { _, _ in ended.withLock { $0 += 1 } },
                failure: { _, _ in })
            operation.responseSerializer = serializer(kind, door)
            return operation
        }
        for operation in slow { manager.enqueue(operation) }
        // None of them waits for another's thread.
        try await eventually("64 serializers at work") { door.entered.withLock { $0 } == 64 }
        for _ in 0..<20 {
            let outcome = await manager.getting(server.url("/other").absoluteString)
            #expect(outcome.object as? [Int] == [2])
        }
        let others = HTTPRequestOperationManager.offMain(nil)
        #expect(await others.getting(server.url("/other").absoluteString).object as? [Int] == [2])
        #expect(ended.withLock { $0 } == 0 && slow.allSatisfy { !$0.isFinished })
        door.gate.open()
        try await eventually("the end of all") { ended.withLock { $0 } == 64 }
        #expect(slow.allSatisfy { $0.error == nil })
        #expect(slow.allSatisfy { $0.responseObject as? [Int] == [1] || $0.responseObject is WaitingValue })
    }

    @Test("A serializer that judges the beginning of a stream holds up nobody")
    func streams() async throws {
        let manager = HTTPRequestOperationManager.offMain(nil)
        let door = Door()
        defer { door.gate.open() }
        let slow = (0..<8).map { _ in
            let operation = manager.httpRequestOperation(
                with: URLRequest(url: server.url("/slow")), success: nil, failure: nil)
            operation.responseSerializer = WaitingValidation(door)
            return operation
        }
        let readers = slow.map { operation in
            Task {
                var count = 0
                for try await chunk in operation.chunks { count += chunk.count }
                return count
            }
        }
        try await eventually("8 verdicts") { door.entered.withLock { $0 } == 8 }
        #expect(await manager.getting(server.url("/other").absoluteString).object as? [Int] == [2])
        door.gate.open()
        for reader in readers { #expect(try await reader.value == 3) }
    }

    @Test("A serializer may wait for another operation's end")
    func waiting() async throws {
        let manager = HTTPRequestOperationManager.offMain(nil)
        let url = server.url("/other").absoluteString
        let outcomes = await withTaskGroup(of: HTTPOutcome.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let operation = HTTPRequestOperation(server.url("/slow"))
                    operation.responseSerializer = AskingSerializer(manager, url)
                    return await operation.outcome()
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.error == nil && $0.object as? [Int] == [2] })
    }
}

/// Where serializers wait.
final class Door: Sendable {
    let gate = Gate()
    let entered = Locked(0)

    func pass() {
        entered.withLock { $0 += 1 }
        _ = gate.wait(timeout: 60)
    }
}

// Sendable because `door` is set once, before anybody else has the serializer.
private final class WaitingSerializer: JSONResponseSerializer, @unchecked Sendable {
    private var door = Door()

    convenience init(_ door: Door) {
        self.init()
        self.door = door
    }

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        door.pass()
        return try super.responseObject(for: response, data: data)
    }
}

// Sendable because `door` is set once, before anybody else has the serializer.
private final class WaitingValidation: JSONResponseSerializer, @unchecked Sendable {
    private var door = Door()

    convenience init(_ door: Door) {
        self.init()
        self.door = door
    }

    override func validate(_ response: URLResponse?, data: Data?) throws {
        door.pass()
        try super.validate(response, data: data)
    }
}

private struct WaitingMember: URLResponseSerialization {
    let door: Door

    func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        door.pass()
        return try JSONResponseSerializer().responseObject(for: response, data: data)
    }
}

// Sendable because both are set once, before anybody else has the serializer.
private final class AskingSerializer: HTTPResponseSerializer, @unchecked Sendable {
    private var manager: HTTPRequestOperationManager?
    private var url = ""

    convenience init(_ manager: HTTPRequestOperationManager, _ url: String) {
        self.init()
        self.manager = manager
        self.url = url
    }

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        let operation = manager?.get(url)
        operation?.waitUntilFinished()
        return operation?.responseObject
    }
}

private struct WaitingValue: Decodable {
    static func decoder(_ door: Door) -> JSONDecoder {
        let decoder = JSONDecoder()
        if let key { decoder.userInfo[key] = door }
        return decoder
    }

    private static let key = CodingUserInfoKey(rawValue: "door")

    init(from decoder: any Decoder) throws {
        if let key = Self.key { (decoder.userInfo[key] as? Door)?.pass() }
        var list = try decoder.unkeyedContainer()
        guard try list.decode(Int.self) == 1 else { throw CocoaError(.coderInvalidValue) }
    }
}
