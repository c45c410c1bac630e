// SPDX-License-Identifier: MIT

// Views without a toolkit: what a button, a progress bar, an indicator, a refresh control, an alert and a web view do, as
// lines of a terminal. A window's views would take the same bindings.
//
//   swift run --package-path Examples TerminalViews http://127.0.0.1:8000    (an httpbin server)
internal import Foundation
internal import OperationNetworking
internal import OperationNetworkingImages

/// All views in one, each a kind of line.
@MainActor
final class Terminal: ButtonImageDisplaying, ProgressDisplaying, ActivityDisplaying, RefreshDisplaying, ErrorDisplaying,
    WebViewDisplaying
{
    private let (lines, output) = AsyncStream.makeStream(of: String.self)
    private var quarters = 0

    func display(_ image: Image?, for state: ButtonState) { show("button \(state): \(size(image))") }
    func displayBackground(_ image: Image?, for state: ButtonState) { show("button's background: \(size(image))") }
    func startAnimating() { show("indicator: on") }
    func stopAnimating() { show("indicator: off") }
    func beginRefreshing() { show("refreshing") }
    func endRefreshing() { show("refreshed") }
    func displayError(title: String, message: String) { show("\(title): \(message)") }

    /// A line for each quarter.
    func setProgress(_ progress: Double, animated: Bool) {
        guard Int(progress * 4) > quarters else { return }
        quarters = Int(progress * 4)
        show("sent: \(String(repeating: "#", count: quarters * 5)) \(quarters * 25) %")
    }

    /// The text of a page, without its tags.
    func load(_ data: Data, mimeType: String, characterEncodingName: String, baseURL: URL?) {
        let text = String(decoding: data, as: UTF8.self).replacing(#/<[^>]*>/#, with: "")
        let words = text.split(whereSeparator: \.isWhitespace)
        show("\(mimeType) of \(baseURL?.path ?? "nowhere"): \(words.prefix(6).joined(separator: " "))")
    }

    private func size(_ image: Image?) -> String { image.map { "\($0.width) x \($0.height)" } ?? "no image" }

    private func show(_ line: String) {
        print(line)
        output.yield(line)
    }

    /// Waits until a line was shown.
    func wait(for line: String) async {
        for await shown in lines where shown.hasPrefix(line) { return }
    }
}

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: TerminalViews BASE-URL")
    exit(64)
}

let terminal = Terminal()
let manager = HTTPRequestOperationManager(baseURL: baseURL)
manager.responseSerializer = HTTPResponseSerializer()

// A button has images for its states. They come from the process's downloader, and from its memory the next time.
let button = ButtonBinding(terminal)
button.setImage(for: .normal, with: URLRequest(url: baseURL.appending(path: "image/png")))
await terminal.wait(for: "button normal")
button.setBackgroundImage(for: .normal, with: URLRequest(url: baseURL.appending(path: "image/jpeg")))
await terminal.wait(for: "button's background")

// One operation, shown by three views.
let upload = try manager.makeOperation(
    method: "POST", "anything", body: .data(Data(count: 8 << 20), contentType: "application/octet-stream"))
let (progress, indicator, refresh) = (ProgressBinding(terminal), ActivityBinding(terminal), RefreshBinding(terminal))
progress.setProgressWithUploadProgress(of: upload, animated: false)
indicator.setAnimatingWithState(of: upload)
refresh.setRefreshingWithState(of: upload)
manager.enqueue(upload)
await terminal.wait(for: "refreshing")
await terminal.wait(for: "refreshed")

// An error becomes an alert.
let alert = ErrorBinding(terminal)
let missing = try manager.makeOperation(method: "GET", "status/404")
alert.showError(of: missing)
manager.enqueue(missing)
await terminal.wait(for: "Error")

// A page, changed before it is shown.
let page = WebViewBinding(terminal, manager: manager)
page.load(
    URLRequest(url: baseURL.appending(path: "html")),
    transform: { _, html in html.replacing("Moby-Dick", with: "a whale") })
await terminal.wait(for: "text/html")
