// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworkingImages

extension FuzzTarget {
    /// Files of every format that is decoded, a few pixels each.
    static let image = FuzzTarget(
        "image", maximumLength: 8192,
        seeds: [
            """
            iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAFUlEQVR4nGM0TjvDwMDAwMDAxAADABi9AWkRbvflAAAAAElFTkSuQmCC
            """,
            "R0lGODdhAwACAIEAADNmzAAAAAAAAAAAACwAAAAAAwACAAAIBgABCBwYEAA7",
            """
            Qk1OAAAAAAAAADYAAAAoAAAAAwAAAAIAAAABABgAAAAAABgAAADEDgAAxA4AAAAAAAAAAAAAzGYzzGYzzGYzAAAAzGYzzGYzzGYzAAAA
            """,
            "UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQs86Uuf+BiOh/AAA=",
            """
            SUkqAAgAAAAKAAABBAABAAAAAwAAAAEBBAABAAAAAgAAAAIBAwADAAAAhgAAAAMBAwABAAAAAQAAAAYBAwABAAAAAgAAABEBBAABAAAAj\
            AAAABUBAwABAAAAAwAAABYBBAABAAAAAgAAABcBBAABAAAAEgAAABwBAwABAAAAAQAAAAAAAAAIAAgACAAzZswzZswzZswzZswzZswzZs\
            w=
            """,
            """
            AAABAAEAEBAAAAAAIABSAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAQAAAAEAgCAAAAkJFoNgAAABlJREFUeJxjNE47w0AKYCJJ9aiGU\
            Q1DSgMAdjkBhS1ZcbQAAAAASUVORK5CYII=
            """,
        ].compactMap { Data(base64Encoded: $0) } + madeSeeds
    ) { input in
        let limit = 1 << 20
        let file: EncodedImage
        do throws(ImageError) {
            file = try EncodedImage(data: input, maximumPixelCount: limit)
        } catch {
            if error.reason.isEmpty { broken("an error says what is wrong") }
            return
        }
        guard file.width > 0, file.height > 0, file.width * file.height <= limit else { broken("the limit holds") }
        for size in [nil, 5] {
            guard let image = try? file.decoded(thumbnailSize: size) else { continue }
            guard image.width > 0, image.height > 0, image.pixels.count == image.width * image.height * 4 else {
                broken("an image has its pixels")
            }
            guard image.width * image.height <= limit, size.map({ max(image.width, image.height) <= $0 }) ?? true else {
                broken("an image is no larger than allowed")
            }
        }
    }

    /// A JPEG, and a PNG with alpha in an icon.
    private static var madeSeeds: [Data] {
        guard let image = try? Image(width: 3, height: 2, pixels: Data((0..<24).map { $0 * 10 })),
            let jpeg = try? image.encoded(as: .jpeg()), let png = try? image.encoded(as: .png)
        else { return [] }
        var icon = Data([0, 0, 1, 0, 1, 0, 3, 2, 0, 0, 1, 0, 32, 0])
        for number in [UInt32(png.count), 22] {
            withUnsafeBytes(of: number.littleEndian) { icon.append(contentsOf: $0) }
        }
        return [jpeg, icon + png]
    }
}
