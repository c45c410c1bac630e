// SPDX-License-Identifier: MIT
public import Foundation

/// A view that shows a document. AF: a category on `UIWebView` and `WKWebView`. See ``WebViewBinding``.
@MainActor
public protocol WebViewDisplaying: AnyObject {
    /// Shows a document, as `WKWebView` has it.
    ///
    /// - Parameters:
    ///   - data: the document.
    ///   - mimeType: the media type, such as `text/html`.
    ///   - characterEncodingName: the charset by its registered name.
    ///   - baseURL: what relative references in it are resolved against.
    func load(_ data: Data, mimeType: String, characterEncodingName: String, baseURL: URL?)
}
