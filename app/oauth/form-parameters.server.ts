import type { RequestContext } from "~/context/load-context";
import { hasMore, readOpenBody } from "~/http/request-body.server";
import { OAuthRefusal } from "./refusal.server";

/** Counted before they are parsed. No request of OAuth has more than a dozen. */
const mostParameters = 30;

/** OAuth parameters, each allowed only once (RFC 6749, 3.1 and 3.2). */
export class Parameters {
  readonly #values: URLSearchParams;

  constructor(values: URLSearchParams) {
    this.#values = values;
    const seen = new Set<string>();
    for (const name of values.keys()) {
      // RFC 8707 allows several `resource` parameters, but our tokens are for one resource.
      if (seen.has(name)) throw new OAuthRefusal("invalid_request", `Send ${name.slice(0, 40)} once only.`);
      seen.add(name);
    }
  }

  /** Returns the value, or undefined if it is absent or empty. */
  find(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === null || value === "" ? undefined : value;
  }

  require(name: string): string {
    const value = this.find(name);
    if (value !== undefined && !value.includes("\0")) return value;
    throw new OAuthRefusal("invalid_request", `${name} is missing.`);
  }
}

/** Reads the form that a program posted. */
export async function readParameters(request: Request, context: RequestContext): Promise<Parameters> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new OAuthRefusal("invalid_request", "Send a form: application/x-www-form-urlencoded.");
  }
  const bytes = await readOpenBody(context);
  if (hasMore(bytes, "&", mostParameters))
    throw new OAuthRefusal("invalid_request", `Send at most ${mostParameters} parameters.`);
  return new Parameters(new URLSearchParams(new TextDecoder().decode(bytes)));
}

/** Returns the client id from the form, or from the username of a Basic Authorization header. */
export function clientIdOf(request: Request, parameters: Parameters): string {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const named = encoded && Buffer.from(encoded, "base64").toString("utf8").split(":")[0];
  const clientId = parameters.find("client_id") ?? (named ? decodeName(named) : undefined);
  if (clientId !== undefined && clientId.length <= 2000 && !clientId.includes("\0")) return clientId;
  throw new OAuthRefusal("invalid_client", "client_id is missing.");
}

function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
