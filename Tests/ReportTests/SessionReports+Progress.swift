// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// Progress of tasks.
extension SessionReports {
    @Test("The progress of a download begins below the whole (AFNetworking#1396)")
    func beginningOfProgress() async throws {
        let (server, manager, gate) = (try TestServer(), manager(), Gate())
        let response = ScriptedResponse(body: .data(Data(count: 1000))).holding(gate, at: .betweenPieces)
        server.respond(to: "/", response.with { $0.pieceSize = 500 })
        let (fractions, folder) = (Locked<[Double]>([]), try TemporaryDirectory())
        _ = try await manager.download(for: URLRequest(url: server.url()), to: folder.file("file")) { progress in
            fractions.withLock { $0.append(progress.fractionCompleted) }
            gate.open()
        }
        let all = fractions.withLock { $0 }
        #expect(all.first ?? 1 < 1 && all.last == 1 && all == all.sorted(), "\(all)")
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("A progress whose whole nobody knew ends whole (AFNetworking#2709)", arguments: [["some", "thing"], []])
    func endOfProgress(_ chunks: [String]) async throws {
        let (server, manager, calls) = (try TestServer(), manager(), Calls())
        server.respond(to: "/", ScriptedResponse(body: .chunks(chunks)))
        let parent = Progress(totalUnitCount: 1)
        func make() -> URLSessionDataTask {
            parent.becomeCurrent(withPendingUnitCount: 1)
            defer { parent.resignCurrent() }
            return manager.dataTask(with: URLRequest(url: server.url())) { calls.add($2) }
        }
        let task = make()
        let progress = try #require(manager.downloadProgress(for: task))
        #expect(progress.fractionCompleted == 0)
        task.resume()
        await calls.isCalled.wait()
        #expect(progress.fractionCompleted == 1 && progress.isFinished)
        #expect(parent.fractionCompleted == 1)
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("A download that was a data task has a progress that goes on (openradar-mirror#21045)")
    func progressOfConverted() async throws {
        let (server, listener) = (try TestServer(), Listener())
        server.respond(to: "/", ScriptedResponse(body: .data(Data(count: 1000))))
        listener.disposition = URLSession.ResponseDisposition(rawValue: 2) ?? .allow
        let session = OperationURLSession(configuration: .ephemeral, delegate: listener)
        session.dataTask(with: server.url()).resume()
        await listener.isComplete.wait()
        let download = try #require(listener.download)
        #expect(listener.events.contains("file 1000") && download.countOfBytesReceived == 1000)
        #expect(download.progress.fractionCompleted == 1, "\(download.progress)")
    }
}
