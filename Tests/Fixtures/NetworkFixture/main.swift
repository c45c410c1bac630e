// SPDX-License-Identifier: MIT
import Foundation

// A program that tests start, for what concerns a whole process, its network and its cache.
//
//   NetworkFixture address|domain <target>    prints each status, with the time in nanoseconds, until its input ends
//   NetworkFixture activity <url>             what a URL that is never answered makes of the count of activity
//   NetworkFixture operation|task <url>       prints in what order the main queue is told of a request, and of activity
//   NetworkFixture waiting -                  prints 0 for each failed attempt at a server of its own, and 2 for a response
//   NetworkFixture lookup -                   names that are looked up for long: prints 2 for each step that went well
//   NetworkFixture get <host>                 asks a server of its own by that name: prints 0 before, and 2 for a response
//   NetworkFixture moved <host>               gives its folder another name, and asks a server of its own
//   NetworkFixture removed <url>              removes its file, and asks for the URL
//   NetworkFixture send <directory> <url> <method>...
//                                             sends these requests in turn, with the shared cache in that directory
//   NetworkFixture send-full <directory> <url> <method>...
//                                             the same where nothing can be written to a file
//   NetworkFixture cached <directory> <url> <count>
//                                             sends so many GETs, 64 at a time; prints the threads that there were at most,
//                                             and the hits

let arguments = CommandLine.arguments
if arguments.count > 4, ["send", "send-full"].contains(arguments[1]) {
    if arguments[1] == "send-full" { fillDisk() }
    runSending(arguments[2], arguments[3], arguments.dropFirst(4))
}
if arguments.count == 5, arguments[1] == "cached" { runCached(arguments[2], arguments[3], Int(arguments[4]) ?? 0) }
guard arguments.count == 3 else { exit(2) }
switch arguments[1] {
case "address", "domain": runReachability(arguments[2], isDomain: arguments[1] == "domain")
case "activity": runActivity(arguments[2])
case "operation", "task": runOrder(arguments[2], isTask: arguments[1] == "task")
case "waiting": runWaiting()
case "lookup": runLookup()
case "get": runGet(arguments[2])
case "moved": runMoved(arguments[2])
case "removed": runRemoved(arguments[2])
default: exit(2)
}
