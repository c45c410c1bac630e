// SPDX-License-Identifier: MIT

/// The check of the graph of one addition, before a store writes it.
public enum AdditionOrder {
    /// Returns the IDs outside the addition that it depends on, which have to be in the store.
    ///
    /// - Throws: ``RequestStoreError`` with `.dependencyCycle`, if requests of the addition wait for each other.
    public static func outsideDependencies(of requests: [StoredRequest]) throws(RequestStoreError) -> Set<
        DurableRequest.ID
    > {
        guard requests.contains(where: { !$0.dependencies.isEmpty }) else { return [] }
        var places: [DurableRequest.ID: Int] = [:]
        for (place, request) in requests.enumerated() where places[request.id] == nil { places[request.id] = place }
        var outside: Set<DurableRequest.ID> = []
        // The number of requests of the addition that each one waits for, and who waits for each: Kahn's algorithm.
        var waitsFor = Array(repeating: 0, count: requests.count)
        var dependents: [Int: [Int]] = [:]
        for (id, place) in places {
            for dependency in requests[place].dependencies {
                guard let upstream = places[dependency.id] else {
                    outside.insert(dependency.id)
                    continue
                }
                guard dependency.id != id else { throw cycle([id, id]) }
                waitsFor[place] += 1
                dependents[upstream, default: []].append(place)
            }
        }
        var free = places.values.filter { waitsFor[$0] == 0 }
        var reached = 0
        while let place = free.popLast() {
            reached += 1
            for dependent in dependents[place] ?? [] {
                waitsFor[dependent] -= 1
                if waitsFor[dependent] == 0 { free.append(dependent) }
            }
        }
        guard reached == places.count else {
            throw cycle(path(through: requests, places: places, blocked: { waitsFor[$0] > 0 }))
        }
        return outside
    }

    /// Follows what is blocked from one to the next, until one comes again.
    private static func path(
        through requests: [StoredRequest], places: [DurableRequest.ID: Int], blocked: (Int) -> Bool
    ) -> [DurableRequest.ID] {
        guard var place = places.values.first(where: blocked) else { return [] }
        var path: [DurableRequest.ID] = []
        var seen: [Int: Int] = [:]
        while seen[place] == nil {
            seen[place] = path.count
            path.append(requests[place].id)
            guard
                let next = requests[place].dependencies.lazy.compactMap({ places[$0.id] }).first(where: blocked)
            else { return path }
            place = next
        }
        return Array(path[(seen[place] ?? 0)...]) + [requests[place].id]
    }

    private static func cycle(_ path: [DurableRequest.ID]) -> RequestStoreError {
        RequestStoreError(
            .dependencyCycle,
            problem: "requests of one addition wait for each other: "
                + path.prefix(10).map(\.description).joined(separator: " → "),
            advice: "remove one of these dependencies", ids: path)
    }

    /// The error for dependencies that a store does not have.
    public static func unknown(_ ids: some Collection<DurableRequest.ID>, place: String) -> RequestStoreError {
        RequestStoreError(
            .unknownDependency, place: place,
            problem: "requests that are to end first are not in the store: "
                + ids.prefix(10).map(\.description).joined(separator: ", "),
            advice: "add them before or together with their dependents, and within the time that results are kept",
            ids: Array(ids))
    }
}
