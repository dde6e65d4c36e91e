import pg from "pg";

/**
 * How to connect to an address of Postgres. Off this machine the connection is encrypted and the certificate checked,
 * unless the address says otherwise by `sslmode`: what is copied from a dashboard says nothing, and would be plain.
 */
export function connectionSettings(databaseUrl: string): pg.ClientConfig {
  const settings = { connectionString: withCheckedMode(databaseUrl) };
  if (/[?&]ssl(mode|cert|key|rootcert|negotiation)?=/.test(databaseUrl)) return settings;
  return isOnThisMachine(new pg.Client(settings).host) ? settings : { ...settings, ssl: true };
}

function isOnThisMachine(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** pg takes these modes for verify-full and warns that a later version will not; here they stay what they are. */
function withCheckedMode(databaseUrl: string): string {
  if (/[?&]uselibpqcompat=/.test(databaseUrl)) return databaseUrl;
  return databaseUrl.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
