// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingImages

extension Driver {
    /// Images through the downloader beside plain transfers, decoding beside the decoder alone, hits of the cache.
    func measureImages() throws -> Section {
        let rounds = try rounds(5, quick: 1)
        let images = isQuick ? 200 : 1_000
        let hits = isQuick ? 80_000 : 800_000
        let file = URL(fileURLWithPath: try options.string("root")).appendingPathComponent("image.png")
        try Self.picture(size: 256).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        var transfers: [Int: [Double]] = [:]
        var downloads: [Int: [Double]] = [:]
        var decoding: [Double] = []
        var decoder: [Double] = []
        var lookUps: [Double] = []
        for _ in 0..<rounds {
            for active in [4, 16] {
                let load: [String: any CustomStringConvertible] = [
                    "url": url + "/image.png", "images": images, "active": active,
                ]
                let raw = try measure(.images, load.merging(["raw": true]) { $1 })
                transfers[active, default: []].append(Double(images) / raw["seconds", default: .nan])
                let own = try measure(.images, load)
                downloads[active, default: []].append(Double(images) / own["seconds", default: .nan])
            }
            let alone = try run(try options.string("decoder"), [file.path, "\(images)"])
            decoder.append(alone["seconds", default: .nan] * 1e6)
            let own = try measure(.imageDecoding, ["file": file.path, "images": images])
            decoding.append(own["seconds", default: .nan] * 1e6)
            let found = try measure(.imageCache, ["hits": hits])
            lookUps.append(found["hits", default: .nan] / found["seconds", default: .nan])
        }

        var section = Section(
            .images,
            method: """
                \(images) PNG images of 256 × 256 pixels from nginx, through `ImageDownloader` with a cache that they are put \
                into, beside as many transfers of the same bytes; `ImageResponseSerializer` beside gdk-pixbuf alone; hits of \
                an `AutoPurgingImageCache` by 8 threads. Medians of \(rounds), also of the ratios.
                """,
            table: Table("what", "value", "unit", "ratio"))
        for active in [4, 16] {
            let own = downloads[active] ?? []
            let raw = transfers[active] ?? []
            let ratio = Figure(
                name: "downloads / transfers, \(active)", unit: "", samples: zip(own, raw).map { $0 / $1 })
            section.figures.append(ratio)
            let transferred = section.record("transfers, \(active) at a time", unit: "images/s", raw)
            let downloaded = section.record("downloads, \(active) at a time", unit: "images/s", own)
            section.table.add("transfers, \(active) at a time", transferred.text(0), "images/s", "")
            section.table.add(
                "downloads, \(active) at a time", downloaded.text(0), "images/s", ratio.median.text(2))
        }
        let alone = section.record("gdk-pixbuf alone", unit: "µs/image", decoder)
        let serializer = section.record("ImageResponseSerializer", unit: "µs/image", decoding)
        let ratio = Figure(
            name: "ImageResponseSerializer / gdk-pixbuf", unit: "", samples: zip(decoding, decoder).map { $0 / $1 })
        section.figures.append(ratio)
        section.table.add("gdk-pixbuf alone", alone.text(0), "µs/image", "")
        section.table.add("ImageResponseSerializer", serializer.text(0), "µs/image", ratio.median.text(2))
        let hitRate = section.record("cache hits", unit: "1/s", lookUps)
        section.table.add("cache hits, 8 threads", hitRate.text(0), "1/s", "")
        section.expect("images: ImageResponseSerializer / gdk-pixbuf", ratio, atMost: 1.1)
        return section
    }

    /// A picture that neither compresses to nothing nor is noise.
    private static func picture(size: Int) throws -> Data {
        var pixels = Data(capacity: size * size * 4)
        for y in 0..<size {
            for x in 0..<size {
                let wave = UInt8(truncatingIfNeeded: (x * x + y * y) / 64)
                pixels.append(contentsOf: [wave, UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y), 255])
            }
        }
        return try Image(width: size, height: size, pixels: pixels).encoded(as: .png)
    }
}
