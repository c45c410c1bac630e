// SPDX-License-Identifier: MIT

/// A piece of input as messages show it: in quotes, control characters escaped, cut when it is long.
func quoted(_ text: String) -> String {
    let limit = 80
    var shown = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        if scalar.properties.generalCategory == .control {
            shown += scalar.escaped(asASCII: true)
        } else {
            shown.unicodeScalars.append(scalar)
        }
    }
    return "\"\(shown)\(text.unicodeScalars.count > limit ? "..." : "")\""
}
