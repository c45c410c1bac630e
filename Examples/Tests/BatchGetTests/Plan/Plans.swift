// SPDX-License-Identifier: MIT
import BatchGetCore

// What the tests of plans are written with.

extension DownloadPlan {
    /// What `next` asks for, as text: "source: first-end".
    mutating func asked(hasPlace: (Int) -> Bool = { _ in true }) -> [String] {
        next(hasPlace: hasPlace).map { action in
            switch action {
            case .request(let request):
                "\(request.number) of \(request.source): \(request.range ?? "all")"
                    + (request.validator.map { " if \($0)" } ?? "")
            case .cancel(let number): "cancel \(number)"
            case .complete(let size): "complete \(size)"
            case .fail(let failure): "fail: \(failure.text)"
            }
        }
    }
}

let unit: Int64 = 1 << 20
let lost = DownloadPlan.Failure.lost("lost", mayPass: true)

func settings(_ split: Int, tries: Int = 3, size: Int64? = nil, checksum: Bool = false) -> DownloadPlan.Settings {
    DownloadPlan.Settings(
        split: split, minimumSplitSize: unit, maximumTries: tries, size: size, hasChecksum: checksum)
}

func head(_ total: Int64?, tag: String? = "\"a\"", status: Int = 200, first: Int64? = nil) -> DownloadPlan.Head {
    DownloadPlan.Head(statusCode: status, first: first, totalLength: total, validator: tag)
}
