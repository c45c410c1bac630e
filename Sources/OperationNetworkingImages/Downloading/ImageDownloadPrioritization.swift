// SPDX-License-Identifier: MIT

/// The order in which downloads begin that have to wait. AF 3: `AFImageDownloadPrioritization`.
public enum ImageDownloadPrioritization: Int, Sendable, Hashable {
    /// In the order of the requests. AF: `AFImageDownloadPrioritizationFIFO`.
    case fifo
    /// The latest request first. AF: `AFImageDownloadPrioritizationLIFO`.
    case lifo
}
