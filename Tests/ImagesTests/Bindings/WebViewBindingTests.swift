// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@testable import OperationNetworkingImages

@MainActor
private final class Page: WebViewDisplaying {
    struct Document: Equatable {
        var text: String
        var mimeType: String
        var encoding: String
        var path: String?
    }

    var shown: [Document] = []

    func load(_ data: Data, mimeType: String, characterEncodingName: String, baseURL: URL?) {
        shown.append(
            Document(
                text: String(decoding: data, as: UTF8.self), mimeType: mimeType, encoding: characterEncodingName,
                path: baseURL?.path))
    }
}

@MainActor
@Suite("Documents in views", .timeLimit(.minutes(1)))
struct WebViewBindingTests {
    private let page = Page()

    @Test("A text is shown as HTML, transformed where that is wanted, with the URL it came from")
    func html() async throws {
        let server = try TestServer()
        server.respond(to: "/moved", .redirect(to: "/page"))
        server.respond(
            to: "/page",
            ScriptedResponse(headers: [("Content-Type", "text/html; charset=iso-8859-1")], body: .data(Data([0xE4]))))
        let binding = WebViewBinding(page)
        var counts: [Int64] = []
        binding.load(URLRequest(url: server.url("/moved")), progress: { received, _ in counts.append(received) })
        #expect(binding.activeRequest != nil && page.shown.isEmpty)
        try await eventually { page.shown.count == 1 }
        binding.load(
            URLRequest(url: server.url("/page")),
            transform: { response, text in "\(response.statusCode)\(text)" })
        try await eventually { page.shown.count == 2 }
        #expect(
            page.shown
                == ["ä", "200ä"].map {
                    Page.Document(text: $0, mimeType: "text/html", encoding: "utf-8", path: "/page")
                })
        #expect(counts.last == 1 && binding.activeRequest == nil)
    }

    @Test("Media type and charset are the response's unless they are given", arguments: [true, false])
    func data(isGiven: Bool) async throws {
        let server = try TestServer()
        server.respond(
            to: "/a", ScriptedResponse(headers: [("Content-Type", "text/css; charset=utf-16")], body: .text("a")))
        server.respond(to: "/b", ScriptedResponse(body: .text("b")))
        let binding = WebViewBinding(page)
        let (type, encoding) = isGiven ? ("text/x", "utf-7") : (nil, nil)
        for (index, path) in ["/a", "/b"].enumerated() {
            binding.load(
                URLRequest(url: server.url(path)), mimeType: type, characterEncodingName: encoding,
                transform: { _, data in data + data })
            try await eventually { page.shown.count == index + 1 }
        }
        #expect(page.shown.map(\.text) == ["aa", "bb"])
        #expect(page.shown[0].mimeType == type ?? "text/css" && page.shown[0].encoding == encoding ?? "utf-16")
        #expect(page.shown[1].encoding == encoding ?? "utf-8")
    }

    @Test("Another request, and the end of loading, silence the one before; an error status is a failure")
    func replaced() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/slow", .stalled(until: gate))
        server.respond(to: "/missing", .status(404))
        let binding = WebViewBinding(page)
        var failures: [String] = []
        binding.load(URLRequest(url: server.url("/slow")), failure: { _ in failures.append("replaced") })
        _ = try await server.nextRequest()
        binding.load(URLRequest(url: server.url("/missing")), failure: { failures.append($0.localizedDescription) })
        try await eventually { !failures.isEmpty }
        binding.load(URLRequest(url: server.url("/slow")), failure: { _ in failures.append("stopped") })
        binding.stopLoading()
        #expect(binding.activeRequest == nil)
        gate.open()
        try await eventually { binding.manager.operationQueue.operations.isEmpty }
        #expect(failures.count == 1 && failures[0].contains("404") && page.shown.isEmpty)
    }
}
