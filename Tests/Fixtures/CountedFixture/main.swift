// SPDX-License-Identifier: MIT

// Works through what Scripts/count counts.
//
//   CountedFixture KIND URL COUNT   GETs on a connection that is there, one for each byte on standard input, by "manager",
//                                   "session-manager" or "session", or from the cache by "cached". Prints how often one
//                                   asked for memory
//   CountedFixture pending COUNT    prints the bytes that a request takes which waits in a suspended queue
import Foundation

// Not `dispatchMain()`: it ends the main thread in a way that valgrind does not survive. The main queue is served, so
// that completions and notifications come on one thread, and the order of things is the same in each run.
DispatchQueue.main.async {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.count) {
    case ("pending", 2):
        guard let count = Int(arguments[2]), count > 0 else { fail("not a count: \(arguments[2])") }
        print(PendingRun.bytesEach(count))
        exit(0)
    case (let kind?, 3):
        guard let kind = RequestRun.Kind(rawValue: kind) else { fail("not a kind: \(kind)") }
        guard let count = Int(arguments[3]), count > 0 else { fail("not a count: \(arguments[3])") }
        RequestRun(kind, url: arguments[2], count: count).start()
    default:
        fail("usage: CountedFixture KIND URL COUNT, or pending COUNT")
    }
}
RunLoop.main.run()
