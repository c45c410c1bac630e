// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworkingDurable
import TestServer
import Testing

/// Files that are no stores, damaged, of a later version, locked, read-only, or on a full disk: the error says so, and
/// what was recorded stays.
@Suite(.timeLimit(.minutes(2)))
struct SQLiteFaultTests {
    let directory: TemporaryDirectory
    var url: URL { directory.file("requests.sqlite") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func filled(_ count: Int = 3) async throws {
        let store = try SQLiteRequestStore(url: url)
        _ = try await store.add((0..<count).map { try StoreConformance.request("r\($0)") })
        await store.close()
    }

    private func refusal(_ url: URL) -> RequestStoreError? {
        do {
            _ = try SQLiteRequestStore(url: url)
            return nil
        } catch {
            return error as? RequestStoreError
        }
    }

    private func sqlite(_ script: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", url.path, script]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    @Test func aLaterVersionIsLeftAlone() async throws {
        try await filled()
        try sqlite("PRAGMA user_version = 2")
        let before = try Data(contentsOf: url)
        let error = refusal(url)
        #expect(error?.code == .newerVersion)
        #expect(error?.description.contains("use a program with a later version") == true)
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func anotherProgramsDatabaseIsLeftAlone() throws {
        try sqlite("CREATE TABLE jobs(id); INSERT INTO jobs VALUES (1)")
        let before = try Data(contentsOf: url)
        #expect(refusal(url)?.code == .notAStore)
        #expect(try Data(contentsOf: url) == before)
    }

    @Test func whatIsNoDatabaseIsLeftAlone() throws {
        let text = Data(String(repeating: "no database\n", count: 1000).utf8)
        try text.write(to: url)
        #expect(refusal(url)?.code == .notAStore)
        #expect(try Data(contentsOf: url) == text)
    }

    @Test func aMissingFolderIsNamed() {
        let error = refusal(directory.file("missing").appendingPathComponent("a.sqlite"))
        #expect(error?.code == .cannotOpen && error?.description.contains("missing/a.sqlite") == true)
        #expect(refusal(directory.url)?.code == .cannotOpen)
    }

    @Test func aDamagedFileIsReported() async throws {
        try await filled(2000)
        let handle = try FileHandle(forUpdating: url)
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
        try handle.close()
        var found: RequestStoreError?
        do {
            let store = try SQLiteRequestStore(url: url)
            _ = try await StoreConformance.lease(store)
        } catch {
            found = error as? RequestStoreError
        }
        #expect(found?.code == .damaged)
        #expect(found?.description.contains("restore a backup") == true)
    }

    @Test func aLockThatIsHeldTooLongIsReportedAndPasses() async throws {
        try await filled()
        let store = try SQLiteRequestStore(url: url, busyTimeout: 0.1)
        let (input, output) = (Pipe(), Pipe())
        let holder = Process()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["sqlite3", url.path]
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        input.fileHandleForWriting.write(Data("BEGIN IMMEDIATE; SELECT 'held';\n".utf8))
        _ = output.fileHandleForReading.availableData
        let error = await #expect(throws: RequestStoreError.self) { try await StoreConformance.lease(store) }
        #expect(error?.code == .busy && error?.engineCode == 5)
        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        #expect(try await StoreConformance.lease(store).count == 3)
    }

    @Test func aFileSystemThatIsReadOnlyIsReported() async throws {
        try await filled()
        try await mounted("-t", "tmpfs", "-o", "size=4m", "tmpfs") { folder in
            let file = folder.appendingPathComponent("requests.sqlite")
            try FileManager.default.copyItem(at: url, to: file)
            try run("mount", "-o", "remount,ro", folder.path)
            #expect(refusal(file)?.code == .readOnly)
            #expect(refusal(folder.appendingPathComponent("new.sqlite"))?.code == .readOnly)
        }
    }

    @Test func aFullDiskIsReportedAndLosesNothing() async throws {
        try await mounted("-t", "tmpfs", "-o", "size=2m", "tmpfs") { folder in
            let store = try SQLiteRequestStore(url: folder.appendingPathComponent("requests.sqlite"))
            var added = 0
            var failure: RequestStoreError?
            while failure == nil, added < 100 {
                do {
                    var request = try StoreConformance.request("r\(added)")
                    request.body = Data(repeating: 1, count: 100_000)
                    _ = try await store.add([request])
                    added += 1
                } catch {
                    failure = error as? RequestStoreError
                }
            }
            #expect(failure?.code == .full && failure?.description.contains("make space") == true)
            #expect(added > 0)
            try run("mount", "-o", "remount,size=16m", folder.path)
            #expect(try await store.add([try StoreConformance.request("after")]) == 1)
            #expect(try await store.counts(inGroup: nil) == RequestCounts([.ready: added + 1]))
            await store.close()
        }
    }

    // MARK: File systems of their own

    private func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { throw CocoaError(.featureUnsupported) }
    }

    /// Does nothing where this user may not mount.
    private func mounted(_ arguments: String..., body: (URL) async throws -> Void) async throws {
        let folder = directory.file("mount")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["mount"] + arguments + [folder.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return print("skipped: no mount") }
        do { try await body(folder) } catch { Issue.record(error) }
        try? run("umount", "-l", folder.path)
    }
}
