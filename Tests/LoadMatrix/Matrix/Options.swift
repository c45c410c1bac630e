// SPDX-License-Identifier: MIT
import Foundation

/// What the command line says.
struct Options {
    static let usage = """
        usage: LoadMatrix [--seconds N] [--slice N] [--seed N] [--faces A,B] [--except A,B] [--cell CELL] [--record FILE]
                          [--current FILE] [--patience N] [--list] [--verbose]
                          [--keep-going]

          --seconds N      how long cells are drawn, 60 by default
          --slice N        how long each takes, 1.5 s by default
          --seed N         of what is drawn; another one each time by default
          --faces A,B      faces whose names begin so; all by default
          --except A,B     faces whose names begin so are left out
          --cell CELL      one cell, as a failure prints it: FACE/CONCURRENCY/CACHE/PROTOCOL/WEATHER; * in place of each part
          --record FILE    adds how many requests each cell had
          --current FILE   where the name of the present cell is written, for who has to say where a crash was
          --patience N     no answer for so many seconds is a hang, 60 by default
          --list           the names of all parts, and nothing else
          --verbose        a line for each cell
          --keep-going     does not stop at a finding
        """

    var seconds = 60.0
    var slice = 1.5
    var seed = UInt64.random(in: 1...999_999_999)
    var faces: [String] = []
    var except: [String] = []
    var cell: String?
    var record: String?
    var current: String?
    var patience = 60.0
    var lists = false
    var isVerbose = false
    var keepsGoing = false

    /// Nil for what is not understood.
    init?(_ arguments: some Sequence<String>) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--list" {
                lists = true
            } else if name == "--verbose" {
                isVerbose = true
            } else if name == "--keep-going" {
                keepsGoing = true
            } else {
                guard let value = rest.popFirst(), set(name, value) else { return nil }
            }
        }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--faces": faces = value.split(separator: ",").map(String.init)
        case "--except": except = value.split(separator: ",").map(String.init)
        case "--cell": cell = value
        case "--record": record = value
        case "--current": current = value
        case "--seed":
            guard let number = UInt64(value) else { return false }
            seed = number
        default:
            guard let number = Double(value), number > 0 else { return false }
            switch name {
            case "--seconds": seconds = number
            case "--slice": slice = number
            case "--patience": patience = number
            default: return false
            }
        }
        return true
    }
}
