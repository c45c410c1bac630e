// SPDX-License-Identifier: MIT

/// Entries as they were written, and what was wrong with how they were.
struct Draft {
    var entries: [DraftEntry] = []
    var problems: [ManifestProblem] = []
    /// What is told, and does not keep anything from being downloaded.
    var warnings: [ManifestProblem] = []
    /// Whether there are entries of which nothing could be read.
    var isIncomplete = false
}
