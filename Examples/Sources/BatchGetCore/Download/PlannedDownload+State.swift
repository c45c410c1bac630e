// SPDX-License-Identifier: MIT
extension PlannedDownload {
    /// What is behind the lock.
    struct State {
        var plan: DownloadPlan
        /// As many of the plan's beginnings as the file and its note know of.
        var beginnings = 0
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

        /// Lets go of what was there once the plan has given it up: whatever ends the program from here on, no note must say of
        /// the new content what was true of the old. Under the lock, before anybody writes.
        mutating func clearIfNew() -> DownloadPlan.Verdict? {
            guard plan.beginnings != beginnings else { return nil }
            beginnings = plan.beginnings
            do throws(PartFile.Failure) {
                try part?.clear()
                return nil
            } catch {
                return .refuse(.local(error.message))
            }
        }
    }
}
