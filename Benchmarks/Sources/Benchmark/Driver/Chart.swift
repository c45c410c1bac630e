internal import Foundation

/// The requests per second of the http part as a bar chart, in SVG that is readable on light and dark pages.
struct Chart {
    private struct Series {
        let name: String
        let color: String
        let rates: [Double]
    }

    private static let connections = [1, 8, 64]
    private static let barHeight = 18
    private static let left = 150
    private static let barWidth = 420.0

    private let series: [Series]
    private let caption: String

    /// Nil when the part was not measured.
    init?(_ report: Report) {
        guard let section = report.sections.first(where: { $0.name == Part.http.rawValue }) else { return nil }
        let contenders = [("raw libcurl", "#8a8f98"), ("library", "#2f7fd0"), ("URLSession", "#d0812f")]
        series = contenders.map { name, color in
            let rates = Self.connections.map { count in
                section.figures.first { $0.name == "\(name) \(count) rate" }?.median ?? .nan
            }
            return Series(name: name == "library" ? "OperationNetworking" : name, color: color, rates: rates)
        }
        caption = "GET of 1 KiB from nginx on loopback, requests per second; \(report.machine.prefix { $0 != "," })"
    }

    var svg: String {
        let most = series.flatMap(\.rates).filter(\.isFinite).max() ?? 1
        let groupHeight = series.count * Self.barHeight + 22
        let height = Self.connections.count * groupHeight + 44
        var body = ""
        for (group, count) in Self.connections.enumerated() {
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

    private func text(_ x: Int, _ y: Int, _ content: String, weight: String = "normal") -> String {
        "<text x=\"\(x)\" y=\"\(y)\" font-weight=\"\(weight)\">\(escaped(content))</text>\n"
    }

    private func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
