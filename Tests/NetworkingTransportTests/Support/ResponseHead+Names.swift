// SPDX-License-Identifier: MIT
@testable import NetworkingTransport

extension ResponseHead {
    /// The value of the first field called `name` (any case); nil: there is none.
    func firstValue(for name: String) -> String? {
        var result: String?
        forEachField { found, value in
            if result == nil, found.isFieldName(name) { result = value }
        }
        return result
    }
}
