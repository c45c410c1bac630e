internal import CCurl

/// Making, finding and closing partitions.
extension EngineLoop {
    /// Partitions without transfers that are kept for their connections and sessions.
    static let idlePartitionLimit = 32

    /// Connections that libcurl keeps open in one partition.
    var connectionCacheSize: Int { max(64, 4 * min(connectionsPerOrigin, 100_000)) }

    /// The pool that `request` belongs to. Nil: out of memory.
    func partition(for request: TransferRequest) -> Partition? {
        assertOnThread()
        if let lastPartition, lastPartition.serves(request), lastPartition.brokenBy == nil { return lastPartition }
        let key = PartitionKey(request)
        if let partition = partitions[key] {
            lastPartition = partition
            return partition
        }
        guard let poller else { return nil }
        let index = partitionsByID.firstIndex { $0 == nil } ?? partitionsByID.count
        guard
            let partition = Partition(
                key: key, id: UInt32(index), request: request, poller: poller, connections: connectionCacheSize)
        else { return nil }
        if index == partitionsByID.count { partitionsByID.append(partition) } else { partitionsByID[index] = partition }
        partitions[key] = partition
        lastPartition = partition
        useCounter += 1
        partition.lastUse = useCounter
        return partition
    }

    /// Closes the partitions used least recently when many stand idle. In the command phase only.
    func evictIdlePartitions() {
        guard partitions.count > Self.idlePartitionLimit else { return }
        let idle = partitionsByID.compactMap { $0 }.filter { $0.isIdle && !$0.isTouched }
        guard idle.count > Self.idlePartitionLimit else { return }
        for partition in idle.sorted(by: { $0.lastUse < $1.lastUse }).prefix(idle.count - Self.idlePartitionLimit) {
            close(partition)
        }
    }

    /// A multi handle that reported an error is not used again: its active transfers end with that error, and the
    /// others go to a new partition.
    func breakUp(_ partition: Partition, code: CurlMultiCode) {
        assertOnThread()
        partitions[partition.key] = nil
        if lastPartition === partition { lastPartition = nil }
        let error = code.transferError(systemErrno: partition.multi.observer.failure)
        for driver in partition.drivers where driver.transfer != nil {
            driver.isReusable = false
            abort(driver, error)
        }
        var waiting: [Transfer] = []
        for origin in partition.allOrigins {
            while let transfer = origin.next() { waiting.append(transfer) }
        }
        partition.waitingCount = 0
        close(partition)
        for transfer in waiting {
            transfer.phase = .created
            start(transfer)
        }
    }

    /// Frees the partition's handles and connections.
    func close(_ partition: Partition) {
        assertOnThread()
        if partitions[partition.key] === partition { partitions[partition.key] = nil }
        if lastPartition === partition { lastPartition = nil }
        for driver in partition.close() { idleHeap.remove(driver) }
        partition.deadline = .max
        partitionsByID[Int(partition.id)] = nil
    }
}
