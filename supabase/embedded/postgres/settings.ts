/** Settings of the embedded Postgres. Durability is never relaxed outside tests. */
export const clusterSettings: Record<string, string> = {
  listen_addresses: "127.0.0.1",
  wal_level: "logical",
  synchronous_commit: "on",
  max_connections: "100",
  max_wal_senders: "10",
  max_replication_slots: "10",
  max_slot_wal_keep_size: "256MB",
  wal_sender_timeout: "30s",
  search_path: '"$user", public, extensions',
  timezone: "UTC",
  log_timezone: "UTC",
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  password_encryption: "scram-sha-256",
  jit: "off",
};

export function settingArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
