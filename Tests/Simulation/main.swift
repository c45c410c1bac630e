// SPDX-License-Identifier: MIT

// Random programs against the library's machine, queue and dependency graph, with a scripted engine, in one thread under
// a seeded scheduler: see Documentation/Architecture/Simulation.md.
//
//   Simulation [--seconds N] [--seed N]     runs programs for N seconds (60); one program, with its listing
import Foundation

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

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
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("Simulation-\(getpid())")
    var steps = 0
    var programs = 0

    /// Runs a program. Its listing; ends the process where something was wrong.
    @MainActor @discardableResult
    func run(_ seed: UInt64) -> String {
        let program = Program(seed: seed, directory: directory, runtime: runtime)
        let problem = program.run()
        program.removeFiles()
        if let problem {
            print("\(program.listing)\n\nFAILED: \(problem)\nReplay: Simulation --seed \(seed)")
            exit(1)
        }
        steps += program.steps
        programs += 1
        return program.listing
    }

    // What a process makes once ends critical sections, too, and each moves the dice: so it is made before the programs
    // that a seed has to replay.
    for seed in 0..<UInt64(200) { run(seed) }
    if let seed {
        print(run(seed))
    } else {
        // Another part of the seeds each time, also of two processes that begin together.
        var next = UInt64(start.timeIntervalSince1970) &* 1_000_003 ^ UInt64(getpid()) << 40
        repeat {
            run(next)
            next &+= 1
        } while Date().timeIntervalSince(start) < seconds
    }
    let minutes = max(Date().timeIntervalSince(start), 0.001) / 60
    print("\(programs) programs, \(steps) steps (\(Int(Double(steps) / minutes)) a minute): no problem found.")
#else
    print("The simulation needs a debug build.")
    exit(2)
#endif
