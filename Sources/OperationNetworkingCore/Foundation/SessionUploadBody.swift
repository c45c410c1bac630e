// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The source of an upload's content.
package enum SessionUploadBody {
    case data(Data)
    case file(URL)
    /// The delegate is asked.
    case stream

    package var isAwaited: Bool { if case .stream = self { true } else { false } }

    package var file: URL? { if case .file(let file) = self { file } else { nil } }
}
