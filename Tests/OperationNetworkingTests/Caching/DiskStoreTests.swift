// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Responses in files", .timeLimit(.minutes(5))) struct DiskStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func store(_ capacity: Int = 1 << 20, _ folder: String? = nil) -> DiskStore {
        let path = folder ?? directory.path
        return DiskStore(capacity: capacity) { path }
    }

    private static func key(_ name: String) throws -> CacheKey.Digest {
        try #require(CacheKey(try RequestTarget("http://example.com/\(name)"), trust: "")).digest
    }

    private static func response(_ content: Data) -> StoredResponse {
        var response = StoredResponse(
            head: CacheRuleTests.head("Cache-Control: max-age=60", "ETag: \"e\"", "X: caf\u{e9}"), content: content,
            requestTime: 1, responseTime: 2)
        response.selecting = [.init(name: "accept", value: "a, b"), .init(name: "x", value: nil)]
        response.generation = "g"
        response.userInfo.values = ["text": "value", "list": [1, 2.5, true], "data": Data([1, 2])]
        return response
    }

    private static func isSame(_ left: StoredResponse, _ right: StoredResponse) -> Bool {
        left.content == right.content && left.head.rawFields == right.head.rawFields
            && left.head.statusCode == right.head.statusCode && left.selecting == right.selecting
            && left.generation == right.generation && left.requestTime == right.requestTime
            && left.responseTime == right.responseTime
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasSuffix(".responses") })
            ?? []
    }

    private func onlyFile() throws -> String {
        try #require(files.count == 1)
        return directory.file(files[0]).path
    }

    private static func noise(_ count: Int, _ seed: Int = 0) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 2_654_435_761 >> 8) })
    }

    @Test("Everything comes back, with what a program has added")
    func whole() throws {
        let response = Self.response(Self.noise(100_000))
        #expect(store().add(response, for: try Self.key("a")))
        let found = try #require(store().response(for: try Self.key("a")))
        #expect(Self.isSame(found, response))
        #expect(found.userInfo.values["text"] as? String == "value")
        #expect((found.userInfo.values["list"] as? [Any])?.count == 3)
        #expect(found.userInfo.values["data"] as? Data == Data([1, 2]))
        #expect(store().response(for: try Self.key("b")) == nil)
    }

    @Test("A change of any byte of a file leaves each response as it was, or makes it none")
    func everyByte() throws {
        let responses = [Self.response(Self.noise(26_000)), Self.response(Data("small".utf8)), Self.response(Data())]
        let keys = try ["a", "b", "c"].map { try Self.key($0) }
        let writer = store()
        for (key, response) in zip(keys, responses) { #expect(writer.add(response, for: key)) }
        let path = try onlyFile()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(bytes.count > 26_700)
        let file = open(path, O_RDWR)
        try #require(file >= 0)
        defer { close(file) }
        var (served, missed) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            var changed = byte ^ (1 << UInt8(index % 8))
            if index % 3 == 0 { changed = ~byte }
            pwrite(file, &changed, 1, off_t(index))
            let reader = store()
            for (key, response) in zip(keys, responses) {
                guard let found = reader.response(for: key) else {
                    missed += 1
                    continue
                }
                served += 1
                if !Self.isSame(found, response) { Issue.record("byte \(index): another response") }
            }
            var original = byte
            pwrite(file, &original, 1, off_t(index))
        }
        // Each byte belongs to one of them, and what comes before it is found.
        #expect(missed >= bytes.count && served > bytes.count / 50)
        #expect(keys.allSatisfy { store().response(for: $0) != nil })
    }

    @Test("A byte that changes while a store knows the file makes the response none")
    func changedUnderway() throws {
        let response = Self.response(Self.noise(3000))
        let key = try Self.key("a")
        for offset in stride(from: 0, to: 3000, by: 7) {
            let disk = store()
            #expect(disk.add(response, for: key))
            let path = try onlyFile()
            let file = open(path, O_RDWR)
            var byte: UInt8 = 0
            pread(file, &byte, 1, off_t(offset))
            byte ^= 0x10
            pwrite(file, &byte, 1, off_t(offset))
            close(file)
            #expect(disk.response(for: key).map { Self.isSame($0, response) } != false)
            disk.removeAll()
        }
    }

    @Test("A file that ends anywhere has the responses that are whole, and goes on behind them")
    func truncated() throws {
        let keys = try ["a", "b"].map { try Self.key($0) }
        let response = Self.response(Self.noise(500))
        for length in stride(from: 0, to: 1500, by: 11) {
            let writer = store()
            for key in keys { #expect(writer.add(response, for: key)) }
            let path = try onlyFile()
            truncate(path, off_t(length))
            withExtendedLifetime(writer) {}
            let reader = store()
            for key in keys { #expect(reader.response(for: key).map { Self.isSame($0, response) } != false) }
            reader.removeAll()
        }
        // The process is gone that was writing.
        do {
            let writer = store()
            for key in keys { writer.add(response, for: key) }
        }
        let path = try onlyFile()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        truncate(path, off_t(size - 1))
        let next = store()
        #expect(next.response(for: keys[0]) != nil && next.response(for: keys[1]) == nil)
        #expect(next.add(response, for: keys[1]))
        #expect(files.count == 1)
        #expect(keys.allSatisfy { store().response(for: $0) != nil })
    }

    @Test("What is in the folder beside is left alone: names of others, links, pipes, folders, and files for all")
    func foreign() throws {
        let key = try Self.key("a")
        let name = String(repeating: "0", count: 24) + ".responses"
        let target = try directory.write("ONR2", to: "target")
        try directory.write("mine", to: "notes.responses")
        symlink(target.path, directory.file(name).path)
        mkfifo(directory.file("1" + name.dropFirst()).path, 0o600)
        mkdir(directory.file("2" + name.dropFirst()).path, 0o700)
        let disk = store()
        #expect(disk.response(for: key) == nil)
        #expect(disk.add(Self.response(Data("x".utf8)), for: key))
        #expect(store().response(for: key) != nil)
        let mode = try files.compactMap { file -> Int? in
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(file).path)
            return attributes[.type] as? FileAttributeType == .typeRegular && file.utf8.count == name.utf8.count
                ? attributes[.posixPermissions] as? Int : nil
        }
        #expect(mode == [0o600])
        disk.removeAll()
        #expect(try String(contentsOf: target, encoding: .utf8) == "ONR2")
        #expect(FileManager.default.fileExists(atPath: directory.file("notes.responses").path))
        // What others can write is not believed.
        #expect(disk.add(Self.response(Data("x".utf8)), for: key))
        for file in files where file.utf8.count == name.utf8.count { chmod(directory.file(file).path, 0o666) }
        #expect(store().response(for: key) == nil)
    }

    @Test("A folder that cannot be made, or is everybody's, keeps nothing; a new one is this user's alone")
    func folders() throws {
        let key = try Self.key("a")
        let response = Self.response(Data("x".utf8))
        let file = try directory.write("", to: "file")
        #expect(!store(1 << 20, file.path + "/folder").add(response, for: key))
        let open = directory.file("open").path
        mkdir(open, 0o700)
        chmod(open, 0o777)
        #expect(!store(1 << 20, open).add(response, for: key))
        #expect(store(1 << 20, open).response(for: key) == nil)
        let new = directory.file("a/b").path
        #expect(store(1 << 20, new).add(response, for: key))
        let attributes = try FileManager.default.attributesOfItem(atPath: new)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test("Without capacity there are no files, and none is looked at")
    func noCapacity() throws {
        let key = try Self.key("a")
        #expect(store().add(Self.response(Data("x".utf8)), for: key))
        let none = store(0)
        #expect(none.holds(key) == .absent && none.response(for: key) == nil && !none.isDue)
        #expect(!none.add(Self.response(Data("y".utf8)), for: key))
        let fresh = directory.file("none").path
        #expect(!store(0, fresh).add(Self.response(Data()), for: key))
        #expect(!FileManager.default.fileExists(atPath: fresh))
        // The store that there is may lose it, and get it back.
        let disk = store()
        #expect(disk.response(for: key) != nil)
        #expect(disk.setCapacity(0))
        #expect(disk.holds(key) == .absent)
        disk.makeRoom()
        #expect(files.isEmpty)
    }

    @Test("The files are no larger than the capacity; what was used stays, what was not goes first")
    func eviction() throws {
        let capacity = 200_000
        let disk = store(capacity)
        let used = try Self.key("used")
        #expect(disk.add(Self.response(Self.noise(1000)), for: used))
        for number in 0..<600 {
            #expect(disk.add(Self.response(Self.noise(1000, number)), for: try Self.key("\(number)")))
            #expect(disk.size <= capacity)
            if number % 20 == 0 { #expect(disk.response(for: used) != nil) }
        }
        let sizes = try files.map {
            try FileManager.default.attributesOfItem(atPath: directory.file($0).path)[.size] as? Int ?? 0
        }
        #expect(sizes.reduce(0, +) <= capacity && sizes.reduce(0, +) > capacity / 2)
        let next = store(capacity)
        #expect(next.response(for: used)?.content == Self.noise(1000))
        #expect(next.response(for: try Self.key("0")) == nil)
        #expect(next.response(for: try Self.key("599")) != nil)
        // Too large for all of it.
        #expect(!disk.add(Self.response(Data(count: capacity)), for: try Self.key("large")))
        #expect(disk.response(for: try Self.key("599")) != nil)
    }

    @Test("Room that is made before anything is written leaves what was used")
    func roomBeforeWriting() throws {
        let writer = store()
        for number in 0..<12 {
            #expect(writer.add(Self.response(Self.noise(20_000, number)), for: try Self.key("\(number)")))
        }
        #expect(files.count == 4)
        let reader = store()
        let used = try Self.key("0")
        #expect(reader.response(for: used) != nil)
        // More than one file goes, and the writer has the last one.
        #expect(reader.setCapacity(130_000))
        reader.makeRoom()
        #expect(reader.size <= 130_000)
        #expect(reader.response(for: used)?.content == Self.noise(20_000, 0))
        #expect(reader.response(for: try Self.key("1")) == nil)
        #expect(reader.response(for: try Self.key("11")) != nil)
        withExtendedLifetime(writer) {}
    }

    @Test("What cannot be written removes what it would have replaced, and nothing else")
    func unwritten() throws {
        let (a, b) = (try Self.key("a"), try Self.key("b"))
        let (old, new) = (Self.response(Data("old".utf8)), Self.response(Data("new".utf8)))
        do {
            let writer = store()
            for key in [a, b] { #expect(writer.add(old, for: key)) }
        }
        let disk = store()
        #expect(disk.response(for: a) != nil)
        // Nothing is added to a folder that is everybody's.
        chmod(directory.path, 0o777)
        #expect(!disk.add(new, for: a))
        chmod(directory.path, 0o700)
        #expect(disk.response(for: a) == nil && store().response(for: a) == nil)
        #expect(store().response(for: b)?.content == old.content)
        // Nor is anything tried for a while after that.
        disk.state.withLock { $0.pauseEnd = .infinity }
        #expect(!disk.add(new, for: b))
        #expect(store().response(for: b) == nil)
        // One that is too large is no reason to keep the one before.
        let other = store()
        #expect(other.add(old, for: a) && other.add(old, for: b))
        #expect(!other.add(Self.response(Data(count: 1 << 20)), for: a))
        #expect(store().response(for: a) == nil && store().response(for: b) != nil)
    }

    @Test("Stores that share a folder find each other's responses, replacements and removals")
    func shared() throws {
        let (one, other) = (store(), store())
        let (a, b) = (try Self.key("a"), try Self.key("b"))
        #expect(one.add(Self.response(Data("1".utf8)), for: a))
        #expect(other.add(Self.response(Data("2".utf8)), for: b))
        // Each has a file of its own: nobody waits for the other.
        #expect(files.count == 2)
        one.look()
        #expect(one.response(for: b)?.content == Data("2".utf8))
        #expect(other.response(for: a)?.content == Data("1".utf8))
        #expect(other.add(Self.response(Data("3".utf8)), for: a))
        #expect(one.look().contains(a))
        #expect(one.response(for: a)?.content == Data("3".utf8))
        let place = try #require(one.forget(a))
        one.erase(place)
        #expect(other.look().contains(a))
        #expect(other.holds(a) == .absent && other.response(for: b) != nil)
        #expect(store().response(for: a) == nil)
        // Its bytes are gone, too.
        let all = try files.reduce(into: Data()) { try $0.append(Data(contentsOf: directory.file($1))) }
        #expect(all.range(of: Data("\"e\"".utf8)) != nil)
        other.removeAll()
        #expect(one.look().contains(b))
        #expect(one.response(for: b) == nil && files.isEmpty)
    }

    @Test("Many stores at once on one folder: nothing half-written is read, whoever removes what")
    func crowd() async throws {
        let path = directory.path
        let contents = (0..<8).map { Self.noise(2000 + 700 * $0, $0) }
        let keys = try (0..<8).map { try Self.key("\($0)") }
        await withTaskGroup(of: Int.self) { group in
            for member in 0..<6 {
                group.addTask {
                    let disk = DiskStore(capacity: 120_000) { path }
                    var wrong = 0
                    for turn in 0..<150 {
                        let number = (turn * 7 + member) % 8
                        switch (turn + member) % 5 {
                        case 0, 1: disk.add(Self.response(contents[number]), for: keys[number])
                        case 2: if let place = disk.forget(keys[number]) { disk.erase(place) }
                        case 3: disk.look()
                        default: break
                        }
                        if let found = disk.response(for: keys[number]), found.content != contents[number] {
                            wrong += 1
                        }
                    }
                    return wrong
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
    }

    @Test("Removing what is younger than a date leaves what is older")
    func since() async throws {
        let disk = store()
        #expect(disk.add(Self.response(Data("1".utf8)), for: try Self.key("a")))
        let date = Date().timeIntervalSince1970 + 0.001
        try await eventually("the clock") { Date().timeIntervalSince1970 > date + 0.001 }
        #expect(disk.add(Self.response(Data("2".utf8)), for: try Self.key("b")))
        disk.removeAll(since: date)
        #expect(disk.response(for: try Self.key("a")) != nil)
        #expect(disk.response(for: try Self.key("b")) == nil)
    }
}

extension DiskStore {
    @discardableResult
    fileprivate func add(_ response: StoredResponse, for key: CacheKey.Digest) -> Bool { add([(key, response)]) == 1 }
}
