// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworking

/// What loads for sessions of Foundation's that were made with the configuration of one of this library's.
@Suite("Stand-in sessions", .timeLimit(.minutes(1))) struct StandInSessionTests {
    private let configuration = OperationURLSession(configuration: .ephemeral).configuration

    @Test("One that has nothing to do goes, and another one is made when it is needed")
    func idle() async throws {
        let sessions = StandInSessions(idleTime: 0.02)
        let session = URLSession(configuration: configuration)
        let other = URLSession(configuration: configuration)
        weak var standIn: OperationURLSession?
        do {
            let first = sessions.session(for: session)
            standIn = first
            #expect(sessions.session(for: session) === first && sessions.session(for: other) !== first)
        }
        try await eventually("the stand-in goes") { standIn == nil }
        let server = try TestServer()
        server.respond(to: "/", .ok("again"))
        #expect(await sessions.session(for: session).outcome(server.url()).text == "again")
    }

    @Test("One that loads stays until it has nothing to do")
    func busy() async throws {
        let server = try TestServer()
        let isAsked = Gate()
        server.respond(to: "/", .script([.open(isAsked), .stall]))
        let sessions = StandInSessions(idleTime: 0.02)
        let session = URLSession(configuration: configuration)
        weak var standIn: OperationURLSession?
        let task: URLSessionTask
        do {
            let first = sessions.session(for: session)
            standIn = first
            task = first.dataTask(with: server.url())
        }
        task.resume()
        await isAsked.wait()
        // What was there as long, without anything to do, is gone: so it was looked at.
        for _ in 0..<3 {
            let other = URLSession(configuration: configuration)
            weak var idle: OperationURLSession?
            idle = sessions.session(for: other)
            try await eventually("the idle one goes") { idle == nil }
        }
        #expect(standIn != nil && sessions.session(for: session) === standIn)
        task.cancel()
        try await eventually("the stand-in goes") { standIn == nil }
    }
}
