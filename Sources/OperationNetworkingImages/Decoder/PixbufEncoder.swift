// SPDX-License-Identifier: MIT
internal import CGdkPixbuf
internal import Foundation

/// gdk-pixbuf as an encoder.
enum PixbufEncoder {
    static func encode(_ image: Image, as format: String, options: [(name: String, value: String)]) throws(ImageError)
        -> Data
    {
        guard let width = Int32(exactly: image.width), let height = Int32(exactly: image.height),
            let bytesPerRow = Int32(exactly: image.bytesPerRow)
        else { throw failure(image, format, "it is too large") }
        var buffer: UnsafeMutablePointer<CChar>?
        var size = 0
        var error: UnsafeMutablePointer<GError>?
        let isSaved = image.pixels.withUnsafeBytes { pixels -> Bool in
            guard
                let pixbuf = gdk_pixbuf_new_from_data(
                    pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), GDK_COLORSPACE_RGB, 1, 8, width, height,
                    bytesPerRow, nil, nil)
            else { return false }
            defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
            return withCStrings(options.map(\.name)) { names in
                withCStrings(options.map(\.value)) { values in
                    gdk_pixbuf_save_to_bufferv(pixbuf, &buffer, &size, format, names, values, &error) != 0
                }
            }
        }
        guard isSaved, let buffer else { throw failure(image, format, takeMessage(of: error)) }
        return Data(bytesNoCopy: buffer, count: size, deallocator: .custom { pointer, _ in g_free(pointer) })
    }

    private static func failure(_ image: Image, _ format: String, _ why: String) -> ImageError {
        ImageError(
            code: .notEncodable,
            reason: "An image of \(image.width) × \(image.height) pixels cannot be written as \(format): \(why).")
    }

    /// Calls `body` with a list of C strings that ends in nil.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = strings.map { g_strdup($0) }
        copies.append(nil)
        defer { for copy in copies { g_free(copy) } }
        return copies.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
}
