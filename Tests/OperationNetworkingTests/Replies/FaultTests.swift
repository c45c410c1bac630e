// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Each fault of a network, in each state of a transfer, with each kind of operation.
@Suite("Faults of the network", .serialized, .timeLimit(.minutes(2))) struct FaultTests {
    enum Kind: CaseIterable, Sendable {
        case memory, download, stream, upload
        var direction: FaultProxy.Direction { self == .upload ? .toServer : .toClient }
    }

    /// What of the transfer is over when the fault begins.
    enum Moment: CaseIterable, Sendable {
        case beforeHead, inHead, inContent, atEnd
    }

    struct Case: Sendable, CustomStringConvertible {
        let kind: Kind
        let moment: Moment
        let fault: FaultProxy.Fault
        var description: String { "\(kind), \(moment), \(fault)" }

        /// The codes that it may end with; nil for a success.
        var endings: Set<Int?> {
            switch fault {
            case .latency, .slices, .limit: [nil]
            case .blackhole: moment == .atEnd ? [nil] : [-1001]
            // Whether the end of what is complete arrives before the bad news is a matter of luck.
            case .reset: moment == .atEnd ? [nil, -1005] : [-1005]
            case .halfClose:
                moment != .atEnd ? [-1005] : kind == .upload ? [nil, -1005] : [nil]
            }
        }
    }

    private static let content = Data.random(300_000)
    private static let patience = 1.5
    /// Both ends of a connection to the server and of one to the neighbour. A leak would be one for each case.
    private static let descriptorsOfLast = 4

    private let server: TestServer
    private let directory: TemporaryDirectory

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        server.respond(to: "/upload") { .ok("\($0.bodyLength)") }
    }

    @Test(
        "Every operation ends once, in time, with no wrong byte, and leaves nothing behind; nobody else waits",
        arguments: FaultProxy.Fault.allCases)
    func fault(_ fault: FaultProxy.Fault) async throws {
        let cases = Kind.allCases.flatMap { kind in
            Moment.allCases.map { Case(kind: kind, moment: $0, fault: fault) }
        }
        let totals = try await lengths()
        let descriptors = try Self.openDescriptors()
        let (_, slowest) = try await Neighbour().watch {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for each in cases { group.addTask { try await run(each, total: totals[each.kind] ?? 0) } }
                try await group.waitForAll()
            }
        }
        let wait = try #require(slowest, "a request to another host failed")
        #expect(wait < .seconds(Patience.factor), "a request to another host took \(wait)")
        try await eventually("all operations to be gone") { CountedOperation.alive() == 0 }
        // A connection that the other side closed stays until the engine has something to do: one request, which leaves
        // both ends of its own.
        try await eventually("descriptors to be closed: \(descriptors) before") {
            let last = CountedOperation(request: URLRequest(url: server.url("/file")))
            last.completionQueue = DispatchQueue(label: "faults")
            await last.run()
            return try Self.openDescriptors() <= descriptors + Self.descriptorsOfLast
        }
    }

    /// How many bytes go in the direction with the fault when there is none.
    private func lengths() async throws -> [Kind: Int] {
        var lengths: [Kind: Int] = [:]
        for kind in Kind.allCases {
            let proxy = try FaultProxy(to: server.port, .latency, kind.direction, after: .max)
            let operation = make(kind, through: proxy, at: directory.file("measured"))
            await operation.run()
            #expect(operation.error == nil)
            lengths[kind] = proxy.passedBytes
        }
        return lengths
    }

    private func make(_ kind: Kind, through proxy: FaultProxy, at target: URL) -> CountedOperation {
        var request = URLRequest(url: proxy.url(kind == .upload ? "/upload" : "/file"))
        // The length of the field is the same for every proxy: ports have five digits.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        request.timeoutInterval = Self.patience
        if kind == .upload {
            request.httpMethod = "POST"
            request.httpBody = Self.content
        }
        let operation = CountedOperation(request: request)
        operation.completionQueue = DispatchQueue(label: "faults")
        if kind == .stream { operation.outputStream = OutputStream(url: target, append: false) }
        if kind == .download { operation.downloadDestination = DownloadDestination(fileURL: target) }
        return operation
    }

    private func run(_ each: Case, total: Int) async throws {
        let beginning =
            switch each.moment {
            case .beforeHead: 0
            case .inHead: 20
            case .inContent: 100_000
            case .atEnd: total
            }
        let proxy = try FaultProxy(to: server.port, each.fault, each.kind.direction, after: beginning)
        let target = directory.file("\(each.kind)-\(each.moment)-\(each.fault)")
        let operation = make(each.kind, through: proxy, at: target)
        // What is slow, on purpose or because the machine is, is not to be found dead, unless that is the fault.
        if !each.endings.contains(URLError.timedOut.rawValue) {
            operation.timeoutInterval = Self.patience * Patience.factor
        }
        let endings = Endings(operation)
        let start = ContinuousClock.now
        await operation.run()
        let duration = ContinuousClock.now - start
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1, "\(each)")
        #expect(duration < .seconds(Self.patience * 4 * Patience.factor), "\(each) took \(duration)")
        let code = (operation.error as? URLError)?.errorCode
        #expect(each.endings.contains(code), "\(each) ended with \(String(describing: operation.error))")
        checkContent(of: operation, each, target)
        if each.kind == .download { try await checkDownload(each, target) }
        operation.outputStream = nil
    }

    private func checkContent(of operation: HTTPRequestOperation, _ each: Case, _ target: URL) {
        let isGood = operation.error == nil
        switch each.kind {
        case .memory: #expect(operation.responseData == (isGood ? Self.content : nil), "\(each)")
        case .upload:
            if isGood { #expect(operation.responseString == "\(Self.content.count)", "\(each)") }
        case .stream, .download:
            let written = FileManager.default.contents(atPath: target.path)
            if isGood {
                #expect(written == Self.content, "\(each)")
            } else if each.kind == .download {
                #expect(written == nil, "\(each)")
            } else {
                #expect(written.map { Self.content.starts(with: $0) } ?? true, "\(each)")
            }
        }
    }

    /// What is left of a download that failed is the beginning of a good one.
    private func checkDownload(_ each: Case, _ target: URL) async throws {
        let part = FileManager.default.contents(atPath: target.path + ".part") ?? Data()
        #expect(Self.content.starts(with: part), "\(each)")
        let operation = CountedOperation(request: URLRequest(url: server.url("/file")))
        operation.completionQueue = DispatchQueue(label: "faults")
        operation.downloadDestination = DownloadDestination(fileURL: target)
        await operation.run()
        #expect(operation.error == nil && FileManager.default.contents(atPath: target.path) == Self.content, "\(each)")
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasPrefix(target.lastPathComponent) }
        #expect(left == [target.lastPathComponent], "\(each)")
    }

    private static func openDescriptors() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }
}
