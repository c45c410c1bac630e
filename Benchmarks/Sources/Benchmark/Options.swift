// SPDX-License-Identifier: MIT

/// What stops a benchmark, in words.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// `key=value` arguments.
struct Options: Sendable {
    private var values: [String: String] = [:]

    init(_ arguments: some Sequence<String>) throws {
        for argument in arguments {
            guard let sign = argument.firstIndex(of: "=") else {
                throw BenchmarkError("not key=value: \(argument)")
            }
            values[String(argument[..<sign])] = String(argument[argument.index(after: sign)...])
        }
    }

    func string(_ key: String) throws -> String {
        guard let value = values[key], !value.isEmpty else { throw BenchmarkError("missing: \(key)=") }
        return value
    }

    func optionalString(_ key: String) -> String? {
        values[key].flatMap { $0.isEmpty ? nil : $0 }
    }

    func number(_ key: String) throws -> Double {
        let text = try string(key)
        guard let value = Double(text), value >= 0 else { throw BenchmarkError("not a number: \(key)=\(text)") }
        return value
    }

    func count(_ key: String) throws -> Int {
        guard let value = Int(exactly: try number(key)), value > 0 else {
            throw BenchmarkError("not a positive whole number: \(key)")
        }
        return value
    }

    func flag(_ key: String) -> Bool {
        values[key] == "true"
    }
}
