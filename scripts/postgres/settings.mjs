/**
 * Small: it serves one process, whose working set is a few thousand rows. Given as arguments, so that neither
 * postgresql.conf nor ALTER SYSTEM takes durability away.
 */
export function settingsFor({ isDurable, maxConnections, major }) {
  const onOrOff = isDurable ? 'on' : 'off';
  const settings = {
    fsync: onOrOff,
    full_page_writes: onOrOff,
    synchronous_commit: onOrOff,
    max_connections: maxConnections,
    shared_buffers: '32MB',
    min_wal_size: '32MB',
    // Tests search the log of their own time for keys: none of it may be deleted before.
    ...(!isDurable && { wal_keep_size: '256MB' }),
    max_wal_size: '256MB',
    // No replicas and no parallel queries: each would keep processes and memory ready.
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_replication_slots: 0,
    max_logical_replication_workers: 0,
    max_parallel_workers: 0,
    max_worker_processes: 2,
    autovacuum_max_workers: 2,
    jit: 'off',
    // In the cluster, not in /dev/shm: nothing is left elsewhere after a kill -9.
    dynamic_shared_memory_type: process.platform === 'win32' ? 'windows' : 'mmap',
    // Starts, stops and crashes. Errors are the server's to log: their texts quote rows.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    logging_collector: 'off',
    ...(major >= 18 && { io_method: 'sync' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
