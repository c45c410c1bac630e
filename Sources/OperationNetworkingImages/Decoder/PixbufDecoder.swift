// SPDX-License-Identifier: MIT
internal import CGdkPixbuf
internal import Foundation

/// gdk-pixbuf as a decoder of files whose headers were checked.
///
/// The format is given, not guessed: whatever other loaders are installed, nothing reaches them.
enum PixbufDecoder {
    struct Limits {
        var maximumPixelCount: Int
        var thumbnailSize: Int?

        /// The sides that an image is to have; nil: it is too large.
        func sides(width: Int, height: Int) -> (width: Int, height: Int)? {
            let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
            guard width > 0, height > 0, !isTooLarge, count <= maximumPixelCount else { return nil }
            guard let thumbnailSize, max(width, height) > thumbnailSize else { return (width, height) }
            let factor = Double(thumbnailSize) / Double(max(width, height))
            return (
                min(max(Int((Double(width) * factor).rounded()), 1), thumbnailSize),
                min(max(Int((Double(height) * factor).rounded()), 1), thumbnailSize)
            )
        }
    }

    /// The limits that the handler of the size applies, and the size that it refused. Used by one thread, while it
    /// decodes.
    private final class Context {
        let limits: Limits
        var refused: (width: Int, height: Int)?

        init(_ limits: Limits) { self.limits = limits }
    }

    static func decode(_ data: Data, as fileType: ImageFileType, limits: Limits) throws(ImageError) -> Pixbuf {
        var error: UnsafeMutablePointer<GError>?
        guard let loader = gdk_pixbuf_loader_new_with_type(fileType.loaderName, &error) else {
            throw ImageError(
                code: .unsupportedFormat,
                reason: "\(fileType.name) files cannot be decoded here: \(takeMessage(of: error)). "
                    + "Install gdk-pixbuf's loader for them.")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
        let context = Context(limits)
        let isComplete = withExtendedLifetime(context) {
            on_pixbuf_when_size_is_known(
                loader,
                { loader, width, height, context in
                    guard let loader, let context else { return }
                    let known = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
                    let sides = known.limits.sides(width: Int(width), height: Int(height))
                    if sides == nil { known.refused = (Int(width), Int(height)) }
                    // 0: nothing is decoded.
                    gdk_pixbuf_loader_set_size(loader, Int32(sides?.width ?? 0), Int32(sides?.height ?? 0))
                }, Unmanaged.passUnretained(context).toOpaque())
            let isWritten = data.withUnsafeBytes { bytes in
                gdk_pixbuf_loader_write(
                    loader, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &error) != 0
            }
            // A loader has to be closed in any case; of two errors the first counts.
            guard isWritten else {
                gdk_pixbuf_loader_close(loader, nil)
                return false
            }
            return gdk_pixbuf_loader_close(loader, &error) != 0
        }
        if let refused = context.refused {
            g_clear_error(&error)
            throw ImageError(
                code: .tooManyPixels,
                reason: "The image has \(refused.width) × \(refused.height) pixels, more than are allowed.")
        }
        guard isComplete else { throw .damaged(fileType, takeMessage(of: error)) }
        guard let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader) else { throw .damaged(fileType, "it has no image") }
        g_object_ref(UnsafeMutableRawPointer(pixbuf))
        let image = Pixbuf(takingOwnership: pixbuf)
        return image.oriented ?? image
    }
}
