// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import Testing

@testable import OperationNetworkingImages

@Suite("Which downloads are under way")
struct ImageDownloadMachineTests {
    private typealias Machine = ImageDownloadMachine<String>

    @Test("Equal requests are one download, told to all in their order")
    func merging() {
        var machine = Machine(prioritization: .fifo, maximumActiveDownloads: 4)
        let first = machine.request("a")
        let second = machine.request("a")
        #expect(first.start != nil && second.start == nil && machine.activeCount == 1)
        #expect(machine.cancel(first.ticket) == .cancelled && machine.cancel(first.ticket) == .stale)
        let third = machine.request("a")
        #expect(machine.finished(first.start ?? 0).tickets == [second.ticket, third.ticket])
        #expect(machine.activeCount == 0 && machine.ticketCount == 0)
        #expect(machine.finished(first.start ?? 0).tickets.isEmpty && machine.activeCount == 0)
        #expect(machine.cancel(second.ticket) == .stale)
    }

    @Test("Downloads that wait begin in their order, or the last first")
    func order() {
        for prioritization in [ImageDownloadPrioritization.fifo, .lifo] {
            var machine = Machine(prioritization: prioritization, maximumActiveDownloads: 1)
            var running = machine.request("0").start
            for name in ["1", "2", "3", "4"] { #expect(machine.request(name).start == nil) }
            var order: [String] = []
            while let download = running {
                order.append(machine.key(of: download) ?? "")
                running = machine.finished(download).start.first
            }
            #expect(order == (prioritization == .fifo ? ["0", "1", "2", "3", "4"] : ["0", "4", "3", "2", "1"]))
        }
        var machine = Machine(prioritization: .fifo, maximumActiveDownloads: 0)
        #expect(machine.maximumActiveDownloads == 1)
        let first = machine.request("a").start ?? 0
        _ = machine.request("b")
        machine.prioritization = .lifo
        _ = machine.request("c")
        #expect(machine.finished(first).start.map { machine.key(of: $0) } == ["c"])
    }

    @Test("A cancelled transfer takes up room until it has ended, and its result is for nobody")
    func cancelled() {
        var machine = Machine(prioritization: .fifo, maximumActiveDownloads: 1)
        let first = machine.request("a")
        #expect(machine.cancel(first.ticket) == .cancelledLast(first.start ?? 0))
        #expect(machine.activeCount == 1 && !machine.isWanted(first.start ?? 0))
        let again = machine.request("a")
        #expect(again.start == nil, "not the one that is ending, and no second at once")
        let end = machine.finished(first.start ?? 0)
        #expect(end.tickets.isEmpty && end.start.count == 1 && machine.activeCount == 1)
        #expect(machine.finished(end.start.first ?? 0).tickets == [again.ticket])
        let last = machine.request("b")
        _ = machine.request("c")
        let waiting = machine.request("d")
        #expect(machine.cancel(waiting.ticket) == .cancelled && machine.waitingCount == 1)
        #expect(machine.finished(last.start ?? 0).start.count == 1 && machine.waitingCount == 0)
    }

    @Test("Requests with a stream are one download if it is the same stream, and nothing is left of them")
    func streams() throws {
        var request = URLRequest(url: try #require(URL(string: "http://example.com/a")))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("a".utf8))
        let key = ImageDownloader.Key(request: request, thumbnailSize: nil)
        request.httpBodyStream = InputStream(data: Data("a".utf8))
        let other = ImageDownloader.Key(request: request, thumbnailSize: nil)
        // Fields that Unicode takes for the same are two.
        let equivalents = ["e\u{301}", "\u{e9}"].map { value in
            var request = request
            request.setValue(value, forHTTPHeaderField: "X-User")
            return ImageDownloader.Key(request: request, thumbnailSize: nil)
        }
        #expect(equivalents[0] != equivalents[1] && equivalents[0] == equivalents[0])
        #expect(key == key && key != other)
        var machine = ImageDownloadMachine<ImageDownloader.Key>(prioritization: .fifo, maximumActiveDownloads: 1)
        for _ in 0..<2 {
            let first = machine.request(key)
            #expect(machine.request(key).start == nil && machine.waitingCount == 0)
            let second = machine.request(other)
            #expect(second.start == nil && machine.cancel(second.ticket) == .cancelled)
            #expect(machine.finished(first.start ?? 0).tickets.count == 2)
            #expect(machine.isEmpty)
        }
    }

    @Test("Whatever happens, there are never too many, nobody is forgotten, and nobody is told twice")
    func random() {
        var random = SeededRandom(seed: 5)
        for round in 0..<300 {
            let limit = Int.random(in: 1...4, using: &random)
            var machine = Machine(
                prioritization: Bool.random(using: &random) ? .fifo : .lifo, maximumActiveDownloads: limit)
            var active: Set<UInt64> = []
            var open: [UInt64: String] = [:]
            var keys: [UInt64: String] = [:]
            func start(_ download: UInt64) {
                #expect(active.insert(download).inserted)
                keys[download] = machine.key(of: download)
            }
            func finish(_ download: UInt64) {
                active.remove(download)
                let end = machine.finished(download)
                for ticket in end.tickets { #expect(open.removeValue(forKey: ticket) == keys[download]) }
                end.start.forEach(start)
            }
            for _ in 0..<120 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0..<3:
                    let key = "\(Int.random(in: 0..<8, using: &random))"
                    let request = machine.request(key)
                    open[request.ticket] = key
                    if let download = request.start { start(download) }
                case 3..<5:
                    guard let ticket = open.keys.sorted().randomElement(using: &random) else { continue }
                    switch machine.cancel(ticket) {
                    case .stale: Issue.record("round \(round): \(ticket) was forgotten")
                    case .cancelled: break
                    case .cancelledLast(let download): #expect(active.contains(download))
                    }
                    open[ticket] = nil
                default:
                    if let download = active.sorted().randomElement(using: &random) { finish(download) }
                }
                #expect(active.count <= limit && machine.activeCount == active.count)
                #expect(machine.waitingCount == 0 || active.count == limit)
                #expect(machine.ticketCount == open.count)
            }
            while let download = active.first { finish(download) }
            #expect(open.isEmpty && machine.activeCount == 0 && machine.isEmpty)
        }
    }
}
