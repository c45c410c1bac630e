// SPDX-License-Identifier: MIT
internal import CPostgres
internal import Foundation
internal import Glibc

/// A connection to a server, with its prepared statements. Used by one thread at a time.
final class PostgresConnection {
    private let functions: on_pq
    /// The `PGconn`.
    private let handle: OpaquePointer
    let target: PostgresTarget
    /// The name of each prepared statement by its text. Confined to the owner's thread.
    private var statements: [String: String] = [:]

    /// Blocks until the server has answered.
    ///
    /// - Throws: ``PostgresFailure``.
    init(_ target: PostgresTarget, functions: on_pq) throws(PostgresFailure) {
        self.target = target
        self.functions = functions
        // What comes before the connection string holds unless that says otherwise.
        let settings = [
            ("connect_timeout", String(Int(max(target.connectTimeout, 2)))),
            // A peer that is cut off is found out within half a minute.
            ("tcp_user_timeout", "20000"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("fallback_application_name", "OperationNetworkingDurable"),
            ("dbname", target.connection), ("client_encoding", "UTF8"),
        ]
        let handle = Self.withCStrings(settings.map(\.0)) { keywords in
            Self.withCStrings(settings.map(\.1)) { values in functions.connectdbParams(keywords, values, 1) }
        }
        guard let handle else { throw .connection("out of memory") }
        guard functions.status(handle) == Int32(ON_PQ_CONNECTION_OK) else {
            let message = target.firstLine(functions.errorMessage(handle))
            functions.finish(handle)
            throw .connection(message)
        }
        self.handle = handle
        withUnsafePointer(to: functions) { on_pq_silence($0, handle) }
        // Then nothing that is sent blocks, and a server that is gone is found out in `wait`.
        _ = functions.setnonblocking(handle, 1)
    }

    deinit { functions.finish(handle) }

    /// - Parameter body: gets a list that ends with nil, as C does.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    var serverVersion: Int { Int(functions.serverVersion(handle)) }

    // MARK: Statements

    /// Runs a statement with parameters.
    ///
    /// - Parameter row: called with each row of the result.
    /// - Returns: the number of rows that were written or read.
    @discardableResult
    func run(_ text: String, _ values: PostgresValue..., row: (PostgresRow) throws -> Void = { _ in }) throws -> Int {
        let name = try prepare(text, values)
        let sent = Self.withParameters(values) { pointers, lengths, formats in
            functions.sendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
        }
        guard sent == 1 else { throw lost() }
        return try results(row)
    }

    /// Runs a statement without parameters and result, such as `BEGIN`.
    func execute(_ text: String) throws {
        guard functions.sendQuery(handle, text) == 1 else { throw lost() }
        _ = try results { _ in }
    }

    private func prepare(_ text: String, _ values: [PostgresValue]) throws -> String {
        if let name = statements[text] { return name }
        // By its text: behind a pooler that gives sessions away between transactions, another program's statement of the
        // same name has to be the same one.
        guard let id = try? DurableRequest.ID(name: text) else {
            throw PostgresFailure.connection("there is no SHA-256")
        }
        let name = "on_\(id)"
        guard functions.sendPrepare(handle, name, text, Int32(values.count), values.map(\.type)) == 1 else {
            throw lost()
        }
        _ = try results { _ in }
        statements[text] = name
        return name
    }

    private static func withParameters<Result>(
        _ values: [PostgresValue],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        // All in one place: a byte more each, so that an empty value has an address, and is not NULL.
        var offsets: [Int?] = []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.reduce(0) { $0 + ($1.bytes?.count ?? 0) + 1 })
        for value in values {
            offsets.append(value.bytes == nil ? nil : bytes.count)
            bytes += value.bytes ?? []
            bytes.append(0)
        }
        let lengths = values.map { Int32(clamping: $0.bytes?.count ?? 0) }
        let formats = values.map { _ in Int32(1) }
        return bytes.withUnsafeBytes { raw in
            let start = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset.flatMap { place in start.map { $0 + place } } }
            return body(pointers, lengths, formats)
        }
    }

    /// Waits for all results of what was sent; throws the first one's failure.
    private func results(_ row: (PostgresRow) throws -> Void) throws -> Int {
        let end = Self.now() + target.statementTimeout + 15
        var count = 0
        var failure: (any Error)?
        try send(until: end)
        while true {
            while functions.isBusy(handle) != 0 {
                try wait(POLLIN, until: end)
                guard functions.consumeInput(handle) == 1 else { throw lost() }
            }
            guard let result = functions.getResult(handle) else { break }
            defer { functions.clear(result) }
            let status = functions.resultStatus(result)
            if status == Int32(ON_PQ_TUPLES_OK) || status == Int32(ON_PQ_COMMAND_OK) {
                let rows = functions.ntuples(result)
                count = rows > 0 ? Int(rows) : functions.cmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
                do {
                    for place in 0..<max(rows, 0) where failure == nil {
                        try row(PostgresRow(functions: functions, result: result, row: place))
                    }
                } catch {
                    failure = error
                }
            } else if failure == nil {
                failure = error(of: result)
            }
        }
        if let failure { throw failure }
        return count
    }

    private func error(of result: OpaquePointer) -> PostgresFailure {
        guard let state = functions.resultErrorField(result, Int32(ON_PQ_FIELD_SQLSTATE)) else { return lost() }
        return PostgresFailure(
            state: String(cString: state),
            message: target.firstLine(functions.resultErrorField(result, Int32(ON_PQ_FIELD_MESSAGE))),
            place: target.place)
    }

    private func lost() -> PostgresFailure { .connection(target.firstLine(functions.errorMessage(handle))) }

    // MARK: Waiting

    private func send(until end: Double) throws {
        while true {
            switch functions.flush(handle) {
            case 0: return
            case 1:
                try wait(POLLIN | POLLOUT, until: end)
                guard functions.consumeInput(handle) == 1 else { throw lost() }
            default: throw lost()
            }
        }
    }

    private func wait(_ events: Int32, until end: Double) throws {
        var entry = pollfd(fd: functions.socket(handle), events: Int16(events), revents: 0)
        guard entry.fd >= 0 else { throw lost() }
        let left = end - Self.now()
        let count = poll(&entry, 1, Int32(max(0, min(left, 3600)) * 1000))
        guard count > 0 || left > 0 && (count == 0 || errno == EINTR) else {
            throw PostgresFailure.connection("no answer for \(Int(target.statementTimeout) + 15) seconds")
        }
    }

    /// Waits for notifications until there are some, another descriptor can be read, or the time is over.
    ///
    /// - Returns: true if there were some.
    func waitForNotification(or other: Int32, timeout: Double) throws -> Bool {
        var entries = [
            pollfd(fd: functions.socket(handle), events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        guard entries[0].fd >= 0 else { throw lost() }
        if takeNotifications() { return true }
        _ = poll(&entries, 2, Int32(max(0, min(timeout, 3600)) * 1000))
        guard functions.consumeInput(handle) == 1 else { throw lost() }
        return takeNotifications()
    }

    private func takeNotifications() -> Bool {
        var found = false
        while let notification = functions.notifies(handle) {
            functions.freemem(notification)
            found = true
        }
        return found
    }

    /// Seconds of a clock that nothing sets.
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
