// SPDX-License-Identifier: MIT
internal import Foundation

/// The requests per second of the http part as a bar chart, in SVG that is readable on light and dark pages.
struct Chart {
    private struct Series {
        let name: String
        let color: String
        let rates: [Double]
    }

    private static let barHeight = 18
    private static let left = 150
    private static let barWidth = 420.0

    private let series: [Series]
    private let caption: String

    /// Nil when the part was not measured.
    init?(_ report: Report) {
        guard let section = report.sections.first(where: { $0.name == Part.http.rawValue }) else { return nil }
        series = HTTPContender.allCases.map { contender in
            let rates = HTTPContender.connectionCounts.map { count in
                section.figures.first { $0.name == "\(contender.rawValue) \(count) rate" }?.median ?? .nan
            }
            let name = contender == .library ? "OperationNetworking" : contender.rawValue
            return Series(name: name, color: Self.color(of: contender), rates: rates)
        }
        caption = "GET of 1 KiB from nginx on loopback, requests per second; \(report.machine.prefix { $0 != "," })"
    }

    var svg: String {
        let most = series.flatMap(\.rates).filter(\.isFinite).max() ?? 1
        let groupHeight = series.count * Self.barHeight + 22
        let height = HTTPContender.connectionCounts.count * groupHeight + 44
        var body = ""
        for (group, count) in HTTPContender.connectionCounts.enumerated() {
            let top = 34 + group * groupHeight
            body += text(0, top + 12, "\(count) connection\(count == 1 ? "" : "s")", weight: "bold")
            for (index, one) in series.enumerated() {
                let y = top + 18 + index * Self.barHeight
                let rate = one.rates[group]
                let width = rate.isFinite ? rate / most * Self.barWidth : 0
                body += text(0, y + 12, one.name)
                body += """
                    <rect x="\(Self.left)" y="\(y)" width="\(width.text(1))" height="\(Self.barHeight - 4)" rx="2" \
                    fill="\(one.color)"/>

                    """
                body += text(Self.left + Int(width) + 6, y + 12, rate.isFinite ? rate.text(0) : "–")
            }
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 660 \(height)" width="660" height="\(height)" role="img" \
            font-family="system-ui, sans-serif" font-size="13">
            <title>\(escaped(caption))</title>
            <style>text { fill: #1f2328 } @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }</style>
            \(text(0, 16, caption))\(body)</svg>

            """
    }

    private static func color(of contender: HTTPContender) -> String {
        switch contender {
        case .raw: "#8a8f98"
        case .library: "#2f7fd0"
        case .asyncHTTPClient: "#3f9f6f"
        case .urlSession: "#d0812f"
        }
    }

    private func text(_ x: Int, _ y: Int, _ content: String, weight: String = "normal") -> String {
        "<text x=\"\(x)\" y=\"\(y)\" font-weight=\"\(weight)\">\(escaped(content))</text>\n"
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
