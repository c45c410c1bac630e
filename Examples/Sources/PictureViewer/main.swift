// SPDX-License-Identifier: MIT

// Pictures on a terminal, two pixels in each character, and a bar that says how many are there; elsewhere a line for each.
// All are shown twice: the second time they come from memory.
//
//   swift run --package-path Examples PictureViewer http://127.0.0.1:8000/image/png …    (an httpbin server)
internal import Foundation
internal import OperationNetworking
internal import OperationNetworkingImages

let isTerminal = isatty(STDOUT_FILENO) == 1
/// Removes the bar.
let clear = isTerminal ? "\r\u{1B}[K" : ""

/// A place for a picture: what is a view elsewhere.
@MainActor
final class Picture: ImageDisplaying {
    private let name: String

    init(_ name: String) {
        self.name = name
    }

    func display(_ image: Image?) {
        guard let image else { return }
        print("\(clear)\(name): \(image.width) x \(image.height)")
        guard isTerminal else { return }
        for y in stride(from: 0, to: image.height, by: 2) {
            let row = (0..<image.width).map { x in
                "\u{1B}[38;2;\(color(image, x, y))m\u{1B}[48;2;\(color(image, x, y + 1))m\u{2580}"
            }
            print(row.joined() + "\u{1B}[0m")
        }
    }

    /// Red, green and blue as a terminal takes them, on black.
    private func color(_ image: Image, _ x: Int, _ y: Int) -> String {
        guard y < image.height else { return "0;0;0" }
        let start = image.pixels.startIndex + y * image.bytesPerRow + x * 4
        let alpha = Int(image.pixels[start + 3])
        return (0..<3).map { "\(Int(image.pixels[start + $0]) * alpha / 255)" }.joined(separator: ";")
    }
}

let urls = CommandLine.arguments.dropFirst().compactMap { URL(escaping: $0) }
guard !urls.isEmpty, urls.count == CommandLine.arguments.count - 1 else {
    print("usage: PictureViewer URL...")
    exit(64)
}

let serializer = ImageResponseSerializer()
// As many columns. A large picture is made smaller while it is decoded.
serializer.thumbnailSize = 40
let manager = HTTPRequestOperationManager()
manager.responseSerializer = serializer
let cache = AutoPurgingImageCache()
let downloader = ImageDownloader(manager: manager, maximumActiveDownloads: 2, imageCache: cache)

/// A bar in the last line of a terminal. What is printed next takes its place.
func showProgress(_ count: Int) {
    guard isTerminal else { return }
    let done = String(repeating: "#", count: count * 20 / urls.count)
    let bar = done.padding(toLength: 20, withPad: " ", startingAt: 0)
    print("\(clear)[\(bar)] \(count) of \(urls.count)\r", terminator: "")
    fflush(nil)
}

for round in 1...2 {
    var (fromNetwork, fromMemory, failures) = (0, 0, 0)
    for (index, url) in urls.enumerated() {
        showProgress(index)
        let picture = Picture(url.path)
        let binding = ImageViewBinding(picture, imageDownloader: downloader)
        await withCheckedContinuation { continuation in
            binding.setImage(
                with: URLRequest(url: url),
                success: { _, response, image in
                    if response == nil { fromMemory += 1 } else { fromNetwork += 1 }
                    picture.display(image)
                    continuation.resume()
                },
                failure: { _, _, error in
                    failures += 1
                    print("\(clear)\(url.path): \(error.localizedDescription)")
                    continuation.resume()
                })
        }
    }
    showProgress(urls.count)
    print("\(clear)round \(round): \(fromNetwork) loaded, \(fromMemory) from memory, \(failures) failed")
}
print("the cache holds \(cache.memoryUsage) bytes")
