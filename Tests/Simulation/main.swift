// SPDX-License-Identifier: MIT

// Random programs against the library's machine, queue and dependency graph, with a scripted engine, in one thread under
// a seeded scheduler: see CONTRIBUTING.md.
//
//   Simulation [--seconds N] [--seed N]     runs programs for N seconds (60); one program, with its listing
import Foundation

@testable import OperationNetworking

var seconds = 60.0
var seed: UInt64?
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch (argument, arguments.popFirst()) {
    case ("--seconds", let value?): seconds = Double(value) ?? seconds
    case ("--seed", let value?): seed = UInt64(value)
    default:
        FileHandle.standardError.write(Data("usage: Simulation [--seconds N] [--seed N]\n".utf8))
        exit(2)
    }
}

// Equal runs walk through dictionaries in equal order.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var copies: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
    copies.append(nil)
    execv("/proc/self/exe", copies)
}

#if DEBUG
    let runtime = SimulatedRuntime()
    Runtime.current = runtime
    let start = Date()
    var steps = 0
    var programs = 0
    // Another part of the seeds each time, also of two processes that begin together, unless one is asked for.
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("Simulation-\(getpid())")
    var next = seed ?? UInt64(start.timeIntervalSince1970) &* 1_000_003 ^ UInt64(getpid()) << 40
    repeat {
        let program = Program(seed: next, directory: directory, runtime: runtime)
        let problem = program.run()
        program.removeFiles()
        if let problem {
            print("\(program.listing)\n\nFAILED: \(problem)\nReplay: Simulation --seed \(next)")
            exit(1)
        }
        if seed != nil { print(program.listing) }
        steps += program.steps
        programs += 1
        next &+= 1
    } while seed == nil && Date().timeIntervalSince(start) < seconds
    let minutes = max(Date().timeIntervalSince(start), 0.001) / 60
    print("\(programs) programs, \(steps) steps (\(Int(Double(steps) / minutes)) a minute): no problem found.")
#else
    print("The simulation needs a debug build.")
    exit(2)
#endif
