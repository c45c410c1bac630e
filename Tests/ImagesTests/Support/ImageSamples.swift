// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import OperationNetworkingImages

// The samples in the comments of OperationNetworkingImages and on its first page, compiled. `DocumentationTests` sees to it
// that they are the same.

private func loadForTheFirstPage(_ url: URL, _ file: URL) async throws {
    let image = try await ImageDownloader.default().image(
        for: URLRequest(url: url), thumbnailSize: 256)
    try image.encoded(as: .png).write(to: file)
}

private func downloadImage(_ url: URL) {
    let receipt = ImageDownloader.default().downloadImage(
        for: URLRequest(url: url),
        success: { _, _, image in print(image.width, image.height) })
    if let receipt { ImageDownloader.default().cancelTask(for: receipt) }
}
