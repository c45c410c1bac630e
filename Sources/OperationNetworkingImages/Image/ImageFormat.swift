// SPDX-License-Identifier: MIT

/// A format that images are written in.
public enum ImageFormat: Sendable, Hashable {
    /// PNG, with alpha, without loss.
    case png
    /// JPEG, without alpha. Transparent pixels become white.
    ///
    /// The quality is 0 (smallest file) to 1 (best); 0.9 by default. What lies outside counts as the nearest.
    case jpeg(quality: Double = 0.9)
}
