// SPDX-License-Identifier: MIT
internal import CGdkPixbuf
internal import Foundation

/// Owns a `GdkPixbuf`: pixels of 8 bits, with or without alpha.
final class Pixbuf: Sendable {
    /// GdkPixbuf *
    // Safe because nothing changes the pixels.
    fileprivate nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes over one reference.
    init(takingOwnership pointer: OpaquePointer) { self.pointer = pointer }

    deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    var width: Int { Int(gdk_pixbuf_get_width(pointer)) }
    var height: Int { Int(gdk_pixbuf_get_height(pointer)) }
    private var channels: Int { Int(gdk_pixbuf_get_n_channels(pointer)) }
    private var bytesPerRow: Int { Int(gdk_pixbuf_get_rowstride(pointer)) }

    /// Turned and mirrored as the file says; itself if there is nothing to be done.
    var oriented: Pixbuf? {
        gdk_pixbuf_apply_embedded_orientation(pointer).map(Pixbuf.init(takingOwnership:))
    }

    /// Red, green, blue and alpha, without gaps: the pixbuf's own memory where that is so.
    ///
    /// - Parameter isPremultiplied: whether the colours were multiplied by alpha, which is undone.
    func makePixels(isPremultiplied: Bool) -> Data {
        let (width, height, channels, bytesPerRow) = (width, height, channels, bytesPerRow)
        guard let source = gdk_pixbuf_read_pixels(pointer), channels == 3 || channels == 4, width > 0, height > 0 else {
            return Data()
        }
        let restoresColors = isPremultiplied && channels == 4
        if channels == 4, bytesPerRow == width * 4, !restoresColors {
            return Data(
                bytesNoCopy: UnsafeMutableRawPointer(mutating: source), count: bytesPerRow * height,
                deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} })
        }
        var pixels = Data(count: width * height * 4)
        pixels.withUnsafeMutableBytes { target in
            guard let start = target.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            for row in 0..<height {
                var from = source + row * bytesPerRow
                var to = start + row * width * 4
                for _ in 0..<width {
                    to[0] = from[0]
                    to[1] = from[1]
                    to[2] = from[2]
                    to[3] = channels == 4 ? from[3] : 255
                    from += channels
                    to += 4
                }
            }
        }
        if restoresColors { Self.restoreColors(&pixels) }
        return pixels
    }

    private static func restoreColors(_ pixels: inout Data) {
        pixels.withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count - 3, by: 4) where bytes[start + 3] != 255 {
                let alpha = Int(bytes[start + 3])
                guard alpha > 0 else { continue }
                for index in start..<start + 3 {
                    bytes[index] = UInt8(min((Int(bytes[index]) * 255 + alpha / 2) / alpha, 255))
                }
            }
        }
    }
}

/// Takes an error's text over and frees the error.
func takeMessage(of error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "no reason was given" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}
