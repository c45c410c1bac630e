// SPDX-License-Identifier: MIT
extension DownloadPlan {
    package struct Settings: Sendable, Equatable {
        /// Requests at once.
        package var split: Int
        /// Bytes that a segment has at least when another one is cut off.
        package var minimumSplitSize: Int64
        /// Lost requests in a row, of one place, after which it is not asked again.
        package var maximumTries: Int
        /// Bytes of the file, as far as the manifest knows.
        package var size: Int64?
        /// Whether the whole is verified in the end.
        package var hasChecksum: Bool

        package init(
            split: Int = 1, minimumSplitSize: Int64 = 20 << 20, maximumTries: Int = 5, size: Int64? = nil,
            hasChecksum: Bool = false
        ) {
            self.split = split
            self.minimumSplitSize = minimumSplitSize
            self.maximumTries = maximumTries
            self.size = size
            self.hasChecksum = hasChecksum
        }
    }

    /// What is to be done. Requests that are not mentioned go on.
    package enum Action: Sendable, Equatable {
        case request(Request)
        /// The request is of no use any more, and nothing is heard of it.
        case cancel(Int)
        /// The file has all its bytes: so many.
        case complete(Int64)
        case fail(Failure)
    }

    package struct Request: Sendable, Equatable {
        /// By which the plan knows it.
        package var number: Int
        /// Index of the place that is asked.
        package var source: Int
        /// The first byte; 0 without `end`: the whole file, without a range.
        package var first: Int64
        /// The byte after the last; nil: the end of the file.
        package var end: Int64?
        /// What `If-Range` is sent with.
        package var validator: String?
        /// Attempts that this place has lost in a row.
        package var losses: Int

        /// What `Range` is sent with; nil: nothing.
        package var range: String? {
            guard first > 0 || end != nil else { return nil }
            return "bytes=\(first)-" + (end.map { String($0 - 1) } ?? "")
        }
    }

    /// What of a response says which part of which file it has.
    package struct Head: Sendable, Equatable {
        package var statusCode: Int
        /// The first byte, of a range.
        package var first: Int64?
        /// Bytes of the whole file, when known.
        package var totalLength: Int64?
        /// A strong entity tag, else a date.
        package var validator: String?
        /// What answered, after redirects: some name of it. Nil: not known.
        package var resource: String?
        /// False: it says that there are no ranges.
        package var acceptsRanges: Bool

        package init(
            statusCode: Int, first: Int64? = nil, totalLength: Int64? = nil, validator: String? = nil,
            resource: String? = nil, acceptsRanges: Bool = true
        ) {
            self.statusCode = statusCode
            self.first = first
            self.totalLength = totalLength
            self.validator = validator
            self.resource = resource
            self.acceptsRanges = acceptsRanges
        }
    }

    /// What is to become of a response's content.
    package enum Verdict: Sendable, Equatable {
        case write
        /// The request is to be ended, with this.
        case refuse(Failure)
    }

    /// Why a request, or all of them, came to nothing.
    package enum Failure: Sendable, Equatable {
        /// It had been given up before.
        case stale
        /// The file cannot be written.
        case local(String)
        case changed
        /// Bytes that it has, and that the manifest says.
        case otherLength(Int64, Int64)
        case otherRange
        /// The whole file, in place of a range that was asked for.
        case noRanges
        case status(Int, String)
        /// It is to be asked again later than anybody waits for.
        case later(String)
        /// - Parameter mayPass: whether it may go better next time.
        case lost(String, mayPass: Bool)

        /// For people.
        package var text: String {
            switch self {
            case .stale: "given up"
            case .local(let text), .status(_, let text), .later(let text), .lost(let text, _): text
            case .changed: "the file was changed on the server while it was downloaded; run the command again"
            case .otherLength(let length, let expected):
                "the server's file has \(length) bytes, and the manifest says \(expected)"
            case .otherRange: "the server sent another range than it was asked for"
            case .noRanges: "the server sends the whole file in place of a range"
            }
        }

        var mayPass: Bool {
            switch self {
            case .lost(_, let mayPass): mayPass
            case .status(let code, _): [408, 425, 429, 500, 502, 503, 504].contains(code)
            case .changed, .noRanges: true
            case .stale, .local, .otherLength, .otherRange, .later: false
            }
        }
    }

    /// What is there of a file, and what is known of it: for the next run.
    package struct Remains: Sendable, Equatable {
        package var total: Int64
        /// The parts that are there, in order and apart from one another.
        package var parts: [Range<Int64>]
        /// By the index of the place; nil: not known.
        package var validators: [String?]
        /// What of each answered, after redirects; nil: not known.
        package var resources: [String?]

        package init(total: Int64, parts: [Range<Int64>], validators: [String?], resources: [String?]? = nil) {
            self.total = total
            self.parts = parts
            self.validators = validators
            self.resources = resources ?? validators.map { _ in nil }
        }

        /// Whether it can be true.
        package var isSound: Bool {
            var last: Int64 = -1
            for part in parts {
                guard part.lowerBound > last, part.lowerBound >= 0, !part.isEmpty, part.upperBound <= total else {
                    return false
                }
                last = part.upperBound
            }
            return total >= 0
        }
    }
}
