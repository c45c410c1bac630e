// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Glibc
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("The file of cookies", .timeLimit(.minutes(1))) struct CookieFileTests {
    private let folder: TemporaryDirectory
    private let file: CookieFile
    private let storage: HTTPCookieStorage
    private let page = "https://www.example.com/"

    init() throws {
        folder = try TemporaryDirectory()
        file = CookieFile(url: folder.file("new/folders/cookies.json"))
        storage = try HTTPCookieStorage.inMemory()
    }

    private func permissions(_ url: URL) throws -> mode_t {
        var status = stat()
        try #require(stat(url.path, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test("Cookies with a date come back as they were, in their order")
    func roundTrip() throws {
        try storage.take(
            "z=1; Max-Age=100; SameSite=Strict; HttpOnly; Secure", "a=2; Max-Age=200; Domain=example.com; Path=/",
            "k\u{301}=\u{1F600}; Max-Age=300", "session=4", from: page)
        try file.save(storage)
        let other = try HTTPCookieStorage.inMemory()
        try file.load(into: other)
        #expect(try other.field(for: page) == "z=1; a=2; k\u{301}=\u{1F600}")
        #expect(try other.field(for: "http://api.example.com/") == "a=2")
        let strict = try #require(other.cookies?.first { $0.name == "z" })
        #expect(strict.sameSitePolicy == .sameSiteStrict && strict.isHTTPOnly && strict.isSecure)
        #expect(abs(try #require(strict.expiresDate).timeIntervalSinceNow - 100) < 20)
    }

    @Test("A value in other octets than UTF-8 may be as long as any other")
    func longOctets() throws {
        let value = [UInt8](repeating: 0xE9, count: 4000)
        try storage.take([Array("a=".utf8) + value + Array("; Max-Age=100".utf8)], from: page)
        let cookie = try #require(storage.cookies?.first)
        try file.save(storage)
        let other = try HTTPCookieStorage.inMemory()
        try file.load(into: other)
        #expect(other.cookies?.map(\.value) == [cookie.value] && cookie.value.unicodeScalars.count == 4000)
    }

    @Test("The file and its new folders are for the owner only, whatever the umask is")
    func privacy() throws {
        try file.save(storage)
        #expect(try permissions(file.url) == 0o600)
        #expect(try permissions(file.url.deletingLastPathComponent()) == 0o700)
        #expect(try permissions(folder.file("new")) == 0o700)
        #expect(chmod(file.url.path, 0o644) == 0)
        try file.save(storage)
        #expect(try permissions(file.url) == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: file.url.deletingLastPathComponent().path)
        #expect(names == ["cookies.json"])
    }

    @Test("What the storage has already is newer, and what was deleted does not come back after the next save")
    func merging() throws {
        try storage.take("a=1; Max-Age=100", "b=1; Max-Age=100", from: page)
        try file.save(storage)
        let other = try HTTPCookieStorage.inMemory()
        try other.take("a=2", from: page)
        try file.load(into: other)
        #expect(try other.field(for: page) == "b=1; a=2")
        for cookie in other.cookies ?? [] { other.deleteCookie(cookie) }
        try file.save(other)
        try file.load(into: other)
        #expect(other.cookies?.isEmpty == true)
    }

    @Test("A program's own cookies are kept unless they are to be discarded")
    func ownCookies() throws {
        for (name, discard) in [("kept", "FALSE"), ("dropped", "TRUE")] {
            storage.setCookie(
                try #require(
                    HTTPCookie(properties: [
                        .name: name, .value: "1", .domain: "www.example.com", .path: "/", .discard: discard,
                        .expires: Date().addingTimeInterval(100),
                    ])))
        }
        try file.save(storage)
        let other = try HTTPCookieStorage.inMemory()
        try file.load(into: other)
        #expect(other.names == ["kept"])
    }

    @Test("Without a file there is nothing to load")
    func missing() throws {
        try file.load(into: storage)
        #expect(storage.cookies?.isEmpty == true)
    }

    // MARK: Files that are not trusted

    private func codeOfLoading() -> CookieFileError.Code? {
        do throws(CookieFileError) {
            try file.load(into: storage)
            return nil
        } catch {
            #expect(error.localizedDescription.contains("cookies.json"))
            return error.code
        }
    }

    @Test("A file that others can read, or that has other names, is refused")
    func notPrivate() throws {
        try file.save(storage)
        for mode: mode_t in [0o644, 0o640, 0o606, 0o620] {
            #expect(chmod(file.url.path, mode) == 0)
            #expect(codeOfLoading() == .notPrivate)
        }
        #expect(chmod(file.url.path, 0o600) == 0 && codeOfLoading() == nil)
        #expect(link(file.url.path, folder.file("other").path) == 0 && codeOfLoading() == .notPrivate)
    }

    @Test("A link is not followed: not to read, and not to write")
    func links() throws {
        let target = try folder.write("precious", to: "target")
        try file.save(storage)
        #expect(unlink(file.url.path) == 0 && symlink(target.path, file.url.path) == 0)
        #expect(codeOfLoading() == .notPrivate)
        try file.save(storage)
        #expect(try String(contentsOf: target, encoding: .utf8) == "precious")
        #expect(codeOfLoading() == nil)
        #expect(unlink(file.url.path) == 0 && mkfifo(file.url.path, 0o600) == 0)
        #expect(codeOfLoading() == .notPrivate, "and nobody waits for a writer")
    }

    @Test(
        "Anything else in it is an error, and nothing is loaded",
        arguments: ["", "x", "[]", "{}", #"{"version":2,"cookies":[]}"#, #"{"version":1,"cookies":[{"name":"a"}]}"#])
    func damage(text: String) throws {
        try file.save(storage)
        try text.write(to: file.url, atomically: false, encoding: .utf8)
        #expect(codeOfLoading() == .damaged)
        #expect(storage.cookies?.isEmpty == true)
    }

    @Test("Entries that no server could have set are left out")
    func impossibleEntries() throws {
        try storage.take("good=1; Max-Age=1000", from: page)
        try file.save(storage)
        let text = try String(contentsOf: file.url, encoding: .utf8)
        let changes = [
            (#""www.example.com""#, #""..com""#), (#""www.example.com""#, #""e\u0301.com""#), (#""\/""#, #""x""#),
            (#""\/""#, #""\/\u0001""#), (#""good""#, #""go\u0000od""#), (#""1""#, #""\u000a""#),
        ]
        for (old, new) in changes {
            let changed = text.replacingOccurrences(of: old, with: new)
            #expect(changed != text, "\(old) in \(text)")
            try changed.write(to: file.url, atomically: false, encoding: .utf8)
            let other = try HTTPCookieStorage.inMemory()
            try file.load(into: other)
            #expect(other.cookies?.isEmpty == true, "\(new)")
        }
    }

    @Test("What cannot be written is an error, and the old file stays")
    func unwritable() throws {
        let blocked = CookieFile(url: try folder.write("no folder", to: "file").appendingPathComponent("cookies.json"))
        let error = #expect(throws: CookieFileError.self) { try blocked.save(storage) }
        #expect(error?.code == .notWritable && error?.description.contains("Not a directory") == true)
        let unreadable = #expect(throws: CookieFileError.self) { try blocked.load(into: storage) }
        #expect(unreadable?.code == .notReadable)
    }

    @Test("The program's own file is named after the program, not its folder")
    func ownPlace() throws {
        let url = try CookieFile().url
        let again = try CookieFile().url
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let name = URL(fileURLWithPath: executable).lastPathComponent
        let folder = url.deletingLastPathComponent().lastPathComponent
        #expect(folder.hasPrefix(name + "-") && folder.count == name.count + 17, "\(folder)")
        #expect(url.lastPathComponent == "cookies.json" && url == again)
    }

    @Test("The file's name may be as long as the system allows", arguments: [218, 219, 255])
    func longName(length: Int) throws {
        let file = CookieFile(url: folder.file(String(repeating: "c", count: length)))
        try storage.take("a=2; Max-Age=200", from: page)
        try file.save(storage)
        try file.save(storage)
        let other = try HTTPCookieStorage.inMemory()
        try file.load(into: other)
        #expect(try other.field(for: page) == "a=2")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
}
