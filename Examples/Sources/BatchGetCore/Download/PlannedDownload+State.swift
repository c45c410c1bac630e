// SPDX-License-Identifier: MIT
extension PlannedDownload {
    /// What is behind the lock.
    struct State {
        var plan: DownloadPlan
        var part: PartFile?
        var tasks: [Int: Task<Void, Never>] = [:]
        /// Requests that were given up and may still be writing: nothing new is begun before they have ended.
        var givenUp: Set<Int> = []
        /// Requests that have what they are for, and wait for what the rate allows: until then nobody takes the file for
        /// complete, also not a file that ends meanwhile and makes room.
        var withheld = 0
        var bucket: TokenBucket?
        /// Bytes that came in this run.
        var received: Int64 = 0
        var statusCode: Int?
        var lastNote: ContinuousClock.Instant?
        var isNoting = false
        var isCancelled = false
        /// Nothing is asked for any more: the file is verified and put into place, which looks at `isCancelled` itself.
        var isCompleting = false
        var isOver = false
    }
}
