// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization
internal import Testing

@Suite("Writing a multipart body to a file", .timeLimit(.minutes(1)))
struct MultipartSpoolTests {
    private let directory: TemporaryDirectory
    /// Tells the main queue, which need not run on the main thread.
    private static let mainQueueKey = DispatchSpecificKey<Bool>()
    private let serializer = HTTPRequestSerializer()

    init() throws {
        directory = try TemporaryDirectory()
        DispatchQueue.main.setSpecific(key: Self.mainQueueKey, value: true)
    }

    /// The completion-handler face, awaited: the request it returned and the error it was called with.
    private func spool(_ request: URLRequest, to file: URL) async -> (URLRequest, (any Error)?, Bool) {
        await withCheckedContinuation { continuation in
            nonisolated(unsafe) var result = request
            let ready = DispatchSemaphore(value: 0)
            result = serializer.request(
                withMultipartFormRequest: request, writingStreamContentsToFile: file
            ) { error in
                let isMain = DispatchQueue.getSpecific(key: Self.mainQueueKey) == true
                DispatchQueue.global().async {
                    ready.wait()
                    continuation.resume(returning: (result, error, isMain))
                }
            }
            ready.signal()
        }
    }

    @Test("The file has the body, the request its header fields and no stream; the handler runs on main")
    func handler() async throws {
        let request = try multipartRequest { $0.appendPart(withForm: Data(count: 300_000), name: "a") }
        let file = try directory.file("body", Data(count: 1_000_000))
        let (result, error, isMain) = await spool(request, to: file)
        #expect(error == nil)
        #expect(isMain)
        let body = try Data(contentsOf: file)
        #expect(body == (try #require(request.httpBodyStream)).readAll().data)
        #expect(result.httpBodyStream == nil)
        #expect(result.value(forHTTPHeaderField: "Content-Length") == "\(body.count)")
        #expect(
            result.value(forHTTPHeaderField: "Content-Type") == request.value(forHTTPHeaderField: "Content-Type"))
    }

    @Test("The async face gives the length of a body whose length was not known")
    func asynchronous() async throws {
        let request = try multipartRequest {
            $0.appendPart(
                with: InputStream(data: Data(count: 70_000)), name: "a", fileName: "a", length: -1, mimeType: "x/y")
        }
        #expect(request.value(forHTTPHeaderField: "Content-Length") == nil)
        let file = directory.url.appendingPathComponent("body")
        let result = try await serializer.writeStreamContents(ofMultipartFormRequest: request, toFile: file)
        let body = try Data(contentsOf: file)
        #expect(body.count > 70_000)
        #expect(result.value(forHTTPHeaderField: "Content-Length") == "\(body.count)")
        #expect(result.httpBodyStream == nil)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("A full disk is an error that names the path")
    func fullDisk() async throws {
        let request = try multipartRequest { $0.appendPart(withForm: Data(count: 300_000), name: "a") }
        let (_, error, isMain) = await spool(request, to: URL(fileURLWithPath: "/dev/full"))
        let failure = try #require(error as? RequestSerializationError)
        #expect(failure.code == .fileNotWritable)
        #expect(failure.localizedDescription.contains("/dev/full"))
        #expect((failure.underlyingError as NSError?)?.code == Int(ENOSPC))
        #expect(isMain)
        #expect(FileManager.default.fileExists(atPath: "/dev/full"))
    }

    @Test("A file that cannot be created is an error that names the path")
    func unwritable() async throws {
        let request = try multipartRequest { $0.appendPart(withForm: Data(), name: "a") }
        let file = directory.url.appendingPathComponent("absent/body")
        do {
            _ = try await serializer.writeStreamContents(ofMultipartFormRequest: request, toFile: file)
            Issue.record("no error")
        } catch let error as RequestSerializationError {
            #expect(error.code == .fileNotWritable)
            #expect(error.localizedDescription.contains(file.path))
        }
    }

    @Test("A source that fails is the error, and the partial file is removed")
    func failingSource() async throws {
        let request = try multipartRequest {
            $0.appendPart(withForm: Data(count: 300_000), name: "a")
            $0.appendPart(with: InputStream(data: Data(count: 5)), name: "s", fileName: "s", length: 6, mimeType: "x/y")
        }
        let file = directory.url.appendingPathComponent("body")
        let (_, error, _) = await spool(request, to: file)
        #expect((error as? RequestSerializationError)?.code == .bodyLengthMismatch)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A request without a stream and a URL that is no file's are errors")
    func badArguments() async throws {
        let plain = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: nil)
        let file = directory.url.appendingPathComponent("body")
        #expect((await spool(plain, to: file).1 as? RequestSerializationError)?.code == .bodyUnreadable)
        let request = try multipartRequest { $0.appendPart(withForm: Data(), name: "a") }
        let url = try #require(URL(string: "http://h/"))
        #expect((await spool(request, to: url).1 as? RequestSerializationError)?.code == .badURL)
    }

    @Test("Cancelling the task ends a wait for a silent source and removes the file")
    func cancellation() async throws {
        let fifo = directory.url.appendingPathComponent("fifo")
        try #require(mkfifo(fifo.path, 0o600) == 0)
        let request = try multipartRequest { try $0.appendPart(withFileURL: fifo, name: "f") }
        let file = directory.url.appendingPathComponent("body")
        let serializer = serializer
        let task = Task { try await serializer.writeStreamContents(ofMultipartFormRequest: request, toFile: file) }
        while !FileManager.default.fileExists(atPath: file.path) { await Task.yield() }
        task.cancel()
        await #expect(throws: RequestSerializationError.self) { try await task.value }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("An overridden method may still call super, as any open method")
    func subclassing() async throws {
        final class Spy: HTTPRequestSerializer, @unchecked Sendable {
            override func multipartFormRequest(
                withMethod method: String, urlString: String, parameters: [String: Any]?,
                constructingBodyWith block: ((any MultipartFormData) throws -> Void)?
            ) throws -> URLRequest {
                var request = try super.multipartFormRequest(
                    withMethod: method, urlString: urlString, parameters: parameters, constructingBodyWith: block)
                request.setValue("1", forHTTPHeaderField: "X-Spy")
                return request
            }
        }
        let request = try Spy().multipartFormRequest(
            withMethod: "POST", urlString: "http://h/", parameters: ["a": 1], constructingBodyWith: nil)
        #expect(request.value(forHTTPHeaderField: "X-Spy") == "1")
        #expect(request.httpBodyStream != nil)
    }
}
