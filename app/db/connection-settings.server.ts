import pg from "pg";

/**
 * Settings to connect to a Postgres address. Remote connections use TLS and verify the certificate unless the address
 * sets `sslmode`. Addresses copied from the dashboard have no `sslmode` and would otherwise be unencrypted.
 */
export function connectionSettings(databaseUrl: string): pg.ClientConfig {
  const settings = { connectionString: withCheckedMode(databaseUrl) };
  if (/[?&]ssl(mode|cert|key|rootcert|negotiation)?=/.test(databaseUrl)) return settings;
  return isOnThisMachine(new pg.Client(settings).host) ? settings : { ...settings, ssl: true };
}

function isOnThisMachine(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** pg treats these modes as verify-full and warns that a later version will not. Writes verify-full to keep it so. */
function withCheckedMode(databaseUrl: string): string {
  if (/[?&]uselibpqcompat=/.test(databaseUrl)) return databaseUrl;
  return databaseUrl.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
