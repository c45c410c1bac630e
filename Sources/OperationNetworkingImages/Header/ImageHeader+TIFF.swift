// SPDX-License-Identifier: MIT
extension ImageHeader {
    /// The first directory (TIFF 6.0, section 2). That its content is there the decoder does look at.
    static func tiff(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        let directory = try TIFFDirectory(bytes)
        guard let width = directory[.imageWidth], let height = directory[.imageLength], width <= Int(Int32.max),
            height <= Int(Int32.max)
        else { throw .damaged(.tiff, "it does not say how large the image is") }
        try directory.checkSegments(width: width, height: height)
        return ImageHeader(fileType: .tiff, width: width, height: height)
    }
}
