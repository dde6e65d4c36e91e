import pg from "pg";

/** Remote connections use verified TLS unless `sslmode` says otherwise; the dashboard's addresses have none. */
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

const unknownCertificates = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
];

const sentences: readonly [codes: readonly string[], sentence: string][] = [
  [
    unknownCertificates,
    "the server's certificate is signed by someone whom this machine does not know: download the project's certificate (Database settings, SSL configuration) and add ?sslmode=verify-full&sslrootcert=<path to it> to the address",
  ],
  [["CERT_HAS_EXPIRED"], "the server's certificate has expired"],
  [
    ["ERR_TLS_CERT_ALTNAME_INVALID"],
    "the server's certificate is for another host: use the host name that the dashboard shows",
  ],
  [["ENOENT", "EACCES"], "the file that sslrootcert, sslcert or sslkey names cannot be read"],
  [["28P01"], "the password of the address is wrong"],
  [["28000"], "the server refuses this user or this way of connecting"],
  [["3D000"], "the server has no database of this name"],
  [
    ["42501", "22023"],
    "its user may not become service_role: use the user of the dashboard's address, or grant service_role to it",
  ],
];

/** Reports at start an address that can never work; undefined if it does, or if the server is only unreachable. */
export async function findConnectionProblem(databaseUrl: string): Promise<string | undefined> {
  try {
    const client = new pg.Client({ ...connectionSettings(databaseUrl), connectionTimeoutMillis: 5000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("set local role service_role; select 1");
    } finally {
      await client.end();
    }
  } catch (error) {
    return sentenceOf(error);
  }
  return undefined;
}

function sentenceOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (/does not support SSL/.test(error.message)) {
    return "the server does not speak TLS: add ?sslmode=disable if the way to it is private";
  }
  const code = "code" in error ? error.code : undefined;
  return sentences.find(([codes]) => codes.some((known) => known === code))?.[1];
}
