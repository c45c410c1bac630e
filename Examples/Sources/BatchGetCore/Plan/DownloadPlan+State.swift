// SPDX-License-Identifier: MIT
extension DownloadPlan {
    /// A place, and what it has shown.
    struct Source {
        /// Of the file that it has; nil: not known, or none that says anything.
        var validator: String?
        /// Of what that is said: a validator says nothing of what a redirect elsewhere leads to (RFC 9110, section 8.8.3). Nil:
        /// not known.
        var resource: String?
        /// Whether it has answered, in this run, with the file that is being put together.
        var isConfirmed = false
        var servesRanges = true
        /// It is not asked any more.
        var isOut = false
        /// Lost attempts in a row.
        var losses = 0
        /// Requests at once that it has shown to bear; nil: no limit known.
        var limit: Int?
    }

    struct Segment {
        let start: Int64
        var position: Int64
        /// Nil: the length is not known.
        var end: Int64?
        /// The request that works on it.
        var worker: Int?

        init(_ start: Int64, _ end: Int64?, position: Int64? = nil) {
            self.start = start
            self.end = end
            self.position = position ?? start
        }

        var isComplete: Bool { end == position }
        var missing: Int64 { end.map { $0 - position } ?? .max }
        var isUntouched: Bool { position == start }
    }
}
