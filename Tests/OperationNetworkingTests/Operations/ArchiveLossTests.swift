// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("What an archive could not hold is missing until it is set again", .timeLimit(.minutes(1)))
struct ArchiveLossTests {
    // Nested classes are not archived.
    private final class OwnPolicy: SecurityPolicy, @unchecked Sendable {}

    private final class Refusing: JSONResponseSerializer, @unchecked Sendable {
        override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
            throw CocoaError(.coderReadCorrupt)
        }
    }

    private let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json("{\"a\": 1}") }
    }

    /// Archives and restores an operation several times.
    private func restored(_ operation: HTTPRequestOperation) throws -> HTTPRequestOperation {
        var operation = operation
        for _ in 0..<3 {
            operation = try HTTPRequestOperation(archivedData: operation.archivedData())
            // Asking for what is missing makes a default, which is no replacement.
            _ = (operation.securityPolicy, operation.responseSerializer)
        }
        operation.completionQueue = DispatchQueue(label: "restored")
        return operation
    }

    @Test(
        "However often it is archived",
        arguments: [UnarchivedProperty.bodyStream, .securityPolicy, .responseSerializer, .downloadDestination])
    func archivedAgain(property: UnarchivedProperty) async throws {
        let operation = HTTPRequestOperation.make(server.url(), method: "POST")
        switch property {
        case .bodyStream: operation.inputStream = InputStream(data: Data("content".utf8))
        case .securityPolicy: operation.securityPolicy = OwnPolicy(pinningMode: .none)
        case .responseSerializer: operation.responseSerializer = Refusing()
        case .downloadDestination:
            operation.downloadDestination = DownloadDestination(fileURL: URL(fileURLWithPath: "/nonexistent/target"))
        }
        let lost = try restored(operation)
        await lost.run()
        #expect(lost.error as? UnarchivedProperty == property)
        #expect(server.connectionCount == 0)

        let supplied = try restored(operation)
        switch property {
        case .bodyStream: supplied.inputStream = InputStream(data: Data("again".utf8))
        case .securityPolicy: supplied.securityPolicy = .default()
        case .responseSerializer: supplied.responseSerializer = HTTPResponseSerializer()
        case .downloadDestination: supplied.downloadDestination = nil
        }
        let complete = try property == .bodyStream ? supplied : restored(supplied)
        await complete.run()
        #expect(complete.error == nil && complete.responseString == "{\"a\": 1}")
    }

    @Test("An archive without losses is as that of earlier versions")
    func withoutLosses() throws {
        let data = try HTTPRequestOperation.make(server.url()).archivedData()
        #expect(!String(decoding: data, as: UTF8.self).contains("losesDownloadDestination"))
        #expect(try HTTPRequestOperation(archivedData: data)._unarchivedProperties.isEmpty)
    }

    @Test("A finished operation without its serializer has an error, and a result once one is set")
    func finished() async throws {
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = Refusing()
        await operation.run()
        #expect((operation.error as? CocoaError)?.code == .coderReadCorrupt)
        let copy = try restored(operation)
        #expect(copy.isFinished && copy.responseString == "{\"a\": 1}")
        #expect(copy.error as? UnarchivedProperty == .responseSerializer && copy.responseObject == nil)
        #expect(copy.serializationResult.error as? UnarchivedProperty == .responseSerializer)
        copy.responseSerializer = Refusing()
        #expect((copy.error as? CocoaError)?.code == .coderReadCorrupt)
        copy.responseSerializer = JSONResponseSerializer()
        #expect(copy.error == nil && copy.responseObject as? [String: Int] == ["a": 1])
    }

    @Test("A manager's settings stand for the policy and the serializer")
    func configured() async throws {
        let operation = HTTPRequestOperation.make(server.url())
        operation.securityPolicy = OwnPolicy(pinningMode: .none)
        operation.responseSerializer = Refusing()
        let copy = try restored(operation)
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.configure(copy)
        #expect(copy.securityPolicy === manager.securityPolicy)
        await copy.run()
        #expect(copy.error == nil && copy.responseObject as? [String: Int] == ["a": 1])
    }
}
