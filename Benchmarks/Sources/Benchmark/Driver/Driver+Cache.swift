// SPDX-License-Identifier: MIT
internal import Foundation

/// What the default cache has for the requests of the cache part.
private enum CacheCase: String, CaseIterable {
    case without = "no cache"
    /// Each request has another URL, whose response is stored.
    case misses
    /// The same of responses that are not stored, since they say nothing about caches.
    case unstored = "misses, not stored"
    /// Fresh responses that an earlier process has stored: each URL's first request reads it from the disk.
    case hits = "hits from the disk"
    /// Responses that are to be validated, by `If-None-Match` and `If-Modified-Since`: 304 each.
    case revalidations = "304 each"
    /// The same without the cache: what the server sends is another matter then.
    case unconditional = "no cache, 1 URL"

    var path: String { ([.hits: "/fresh", .unstored: "/bare"][self] ?? "") + "/1k.bin" }

    /// URLs that there are; 0: another one each time.
    var urls: Int { [.hits: 1000, .revalidations: 1, .unconditional: 1][self] ?? 0 }

    var hasCache: Bool { self != .without && self != .unconditional }
}

extension Driver {
    /// Requests per second with the default cache beside none: when it has nothing, and when it has what is asked for.
    func measureCache() throws -> Section {
        let rounds = try rounds(7, quick: 3)
        let seconds = isQuick ? 0.5 : 2.0
        let scratch = try options.string("scratch")
        var rates: [CacheCase: [Double]] = [:]
        var costs: [CacheCase: [Double]] = [:]
        var threads: [CacheCase: [Double]] = [:]
        for round in 0..<rounds {
            for turn in CacheCase.allCases.indices {
                let test = CacheCase.allCases[(turn + round) % CacheCase.allCases.count]
                let folder = scratch + "/cache-\(round)-\(turn)"
                defer { try? FileManager.default.removeItem(atPath: folder) }
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let environment = ["XDG_CACHE_HOME": folder]
                // Too young to be fresh by its age.
                try FileManager.default.setAttributes(
                    [.modificationDate: Date()], ofItemAtPath: options.string("root") + "/1k.bin")
                var arguments: [String: any CustomStringConvertible] = [
                    "url": url + test.path, "connections": 64, "length": 1_024, "among": test.urls,
                    "warmup": 0, "seconds": seconds,
                ]
                if test.hasCache { arguments["cache"] = "default" }
                if test == .hits {
                    arguments["fill"] = true
                    _ = try measure(.httpLibrary, arguments, environment: environment)
                    arguments["fill"] = nil
                }
                let run = try measure(.httpLibrary, arguments, environment: environment)
                let requests = run["requests", default: .nan]
                rates[test, default: []].append(requests / run["seconds", default: .nan])
                costs[test, default: []].append(run["cpuSeconds", default: .nan] / requests * 1e6)
                threads[test, default: []].append(run["threads", default: .nan])
            }
        }
        var section = Section(
            .cache,
            method: """
                `manager.get` of 1 KiB with `Last-Modified` and `ETag` from nginx on 64 connections, 4 requests for each are \
                there at any time, \(rounds) rounds of \(seconds) s each, from the first request on, interleaved. The cache is \
                the one that managers have by themselves, in a folder that was empty. Misses: another URL each time, whose response is \
                stored. Hits: 1000 URLs with `max-age=3600`, stored by a process before. 304: one URL without a lifetime.
                """,
            table: Table("the cache has", "requests/s", "CPU µs/request", "threads", "/ without", "CPU / without"))
        func ratio(_ samples: [CacheCase: [Double]], _ test: CacheCase, _ quantity: String) -> Figure {
            let base: CacheCase = test == .revalidations ? .unconditional : .without
            return Figure(
                name: "\(test.rawValue) / \(base.rawValue) \(quantity)", unit: "",
                samples: zip(samples[test] ?? [], samples[base] ?? []).map { $0 / $1 })
        }
        for test in CacheCase.allCases {
            let rate = section.record("\(test.rawValue) rate", unit: "requests/s", rates[test] ?? [])
            let cost = section.record("\(test.rawValue) CPU", unit: "µs/request", costs[test] ?? [])
            let most = (threads[test] ?? []).max() ?? .nan
            section.record("\(test.rawValue) threads", unit: "", threads[test] ?? [])
            let (byRate, byCost) = (ratio(rates, test, "rate"), ratio(costs, test, "CPU"))
            section.figures += [byRate, byCost]
            section.table.add(
                test.rawValue, rate.text(0), cost.text(1), most.text(0), byRate.median.text(2), byCost.median.text(2))
            guard test.hasCache else { continue }
            section.expect("cache: threads, \(test.rawValue)", most, atMost: 12, digits: 0)
            if test == .unstored { section.expect("cache: misses, not stored / no cache", byRate, atLeast: 0.9) }
            if test == .misses { section.expect("cache: misses / no cache", byRate, atLeast: 0.9) }
            if test == .hits { section.expect("cache: hits from the disk / no cache", byRate, atLeast: 1.5) }
        }
        return section
    }
}
