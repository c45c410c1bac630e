// SPDX-License-Identifier: MIT
internal import Foundation

// Benchmark role NAME key=value...   one measurement in this process; prints one line of JSON
// Benchmark run key=value...         the driver: runs the roles in processes of their own (see Scripts/bench)

let arguments = Array(CommandLine.arguments.dropFirst())

func run() throws {
    switch arguments.first {
    case "role" where arguments.count >= 2:
        guard let role = Role(rawValue: arguments[1]) else { throw BenchmarkError("no role named \(arguments[1])") }
        let figures = try role.run(Options(arguments.dropFirst(2)))
        print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
    case "run":
        try Driver(Options(arguments.dropFirst())).run()
    default:
        throw BenchmarkError("use Scripts/bench")
    }
}

// The main queue is served, as in a program that is written for notifications and completions on it.
Thread.detachNewThread {
    do {
        try run()
        // What a role left running (a server, threads that wait) ends with the process.
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
        exit(1)
    }
}
RunLoop.main.run()
