// SPDX-License-Identifier: MIT
internal import CPostgres
internal import Foundation

/// The server, database and schema of a store.
struct PostgresTarget: Sendable, CustomStringConvertible, CustomReflectable {
    /// With the password, perhaps. Never shown.
    let connection: String
    let schema: String
    /// Server and database, without user name and password.
    let place: String
    /// Seconds that a connection may take.
    var connectTimeout = 10.0
    /// Seconds that a statement may take, and wait for locks.
    var statementTimeout = 60.0
    /// Seconds that calls wait for a server that is gone.
    var reconnectTimeout = 30.0
    private let password: String?

    var description: String { place }
    var customMirror: Mirror { Mirror(self, children: ["place": place, "schema": schema]) }

    /// - Throws: ``RequestStoreError`` with `.cannotOpen`, without the connection string, which may have a password.
    init(_ connection: String, schema: String, functions: on_pq) throws(RequestStoreError) {
        guard
            schema.utf8.count <= 63, let first = schema.utf8.first, !(0x30...0x39).contains(first),
            schema.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }),
            !schema.hasPrefix("pg_")
        else {
            throw RequestStoreError(
                .cannotOpen, problem: "the name of a store's schema has other characters than a–z, 0–9 and _",
                advice: "give a name such as operation_networking")
        }
        guard !connection.utf8.contains(0), Self.hasPlainAuthority(connection),
            let options = Self.options(of: connection, functions)
        else {
            throw RequestStoreError(
                .cannotOpen, problem: "the connection string cannot be read (it is not shown: it may have a password)",
                advice: "write postgresql://user@host:5432/database, with special characters percent-encoded")
        }
        self.connection = connection
        self.schema = schema
        password = options["password"]
        let host = options["host"] ?? options["hostaddr"] ?? "local socket"
        let port = options["port"].map { ":\($0)" } ?? ""
        place = "PostgreSQL \(host)\(port)/\(options["dbname"] ?? "")"
    }

    /// False for a URI that has an "@" or "/" in its password, which libpq would take for a host, and name in errors.
    private static func hasPlainAuthority(_ connection: String) -> Bool {
        let bytes = connection.utf8
        guard let scheme = ["postgresql://", "postgres://"].first(where: { connection.hasPrefix($0) }) else {
            return true
        }
        let rest = bytes.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != 0x2F && $0 != 0x3F }
        return authority.count(where: { $0 == 0x40 }) <= 1 && !rest.dropFirst(authority.count).contains(0x40)
            && !bytes.contains(0x23)
    }

    private static func options(of connection: String, _ functions: on_pq) -> [String: String]? {
        // A name alone is a database, as for libpq's own programs.
        guard connection.utf8.contains(0x3D) || connection.hasPrefix("postgres") && connection.contains("://") else {
            return ["dbname": connection]
        }
        var message: UnsafeMutablePointer<CChar>?
        let first = functions.conninfoParse(connection, &message)
        // It may quote the string, password and all.
        if let message { functions.freemem(message) }
        guard let first else { return nil }
        defer { functions.conninfoFree(first) }
        var options: [String: String] = [:]
        var option = first
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.value, value.pointee != 0 {
                options[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return options
    }

    /// The first line of a message of libpq's, without the password.
    func firstLine(_ message: UnsafePointer<CChar>?) -> String {
        guard let message else { return "no message" }
        let text = String(cString: message)
        let line = String(decoding: text.utf8.prefix { $0 != 0x0A }, as: UTF8.self)
        guard let password, !password.isEmpty else { return line }
        return line.replacingOccurrences(of: password, with: "…")
    }
}
