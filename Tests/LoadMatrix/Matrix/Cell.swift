// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

/// One place of the matrix.
struct Cell: Sendable, CustomStringConvertible {
    enum Cache: String, CaseIterable, Sendable { case none, memory, standard }
    typealias Version = LoadServers.Version
    static let concurrencies = [1, 8, 64, 512]

    var face: String
    var concurrency: Int
    var cache: Cache
    var version: Version
    var weather: Weather

    var description: String { "\(face)/\(concurrency)/\(cache)/\(version)/\(weather)" }

    init(_ face: String, _ dice: inout Dice) {
        self.face = face
        concurrency = dice.pick(Self.concurrencies)
        cache = dice.pick(Cache.allCases)
        version = dice.pick(Version.allCases)
        weather = dice.pick(Weather.allCases)
    }

    /// A cell as it is printed; what is `*` is drawn. Nil for another text.
    init?(_ text: String, faces: [String], _ dice: inout Dice) {
        let parts = text.split(separator: "/").map(String.init)
        guard parts.count == 5 else { return nil }
        self.init(parts[0] == "*" ? dice.pick(faces) : parts[0], &dice)
        guard faces.contains(face) else { return nil }
        if parts[1] != "*" {
            guard let number = Int(parts[1]), number > 0 else { return nil }
            concurrency = number
        }
        if parts[2] != "*" {
            guard let known = Cache(rawValue: parts[2]) else { return nil }
            cache = known
        }
        if parts[3] != "*" {
            guard let known = Version(rawValue: parts[3]) else { return nil }
            version = known
        }
        if parts[4] != "*" {
            guard let known = Weather(rawValue: parts[4]) else { return nil }
            weather = known
        }
    }
}
