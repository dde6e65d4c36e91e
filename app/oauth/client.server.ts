import { z } from "zod";
import type { Database } from "~/db/database.server";
import { takeLimit } from "~/nouns/accounts/operations.server";
import { getOauthClient } from "~/nouns/oauth/operations.server";
import { get } from "~/outgoing/get.server";
import { clientMetadataSchema } from "~/wire/oauth/contract";
import { OAuthRefusal } from "./refusal.server";

/** A program that asks for access, and how trustworthy its description is. */
export interface OAuthClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
  /** Described by its current document, by our copy of it (`pinned`), or only by its own registration. */
  source: "document" | "pinned" | "registered";
  /** Date of our copy. */
  pinnedOn?: string;
}

const keptMilliseconds = 300_000;
const mostKept = 500;
/** Cache of documents with their expiry; null for one that could not be read. */
const kept = new Map<string, { document: ClientDocument | null; until: number }>();

/** Whether a client id is the address of a metadata document. */
export function isDocumentAddress(clientId: string): boolean {
  return /^https?:\/\//.test(clientId);
}

/** Returns a program that registered itself. Throws if its registration is gone: it must register again. */
export async function findRegistered(database: Database, clientId: string): Promise<OAuthClient> {
  const client = await getOauthClient(database, { client_id: clientId });
  if (client) {
    const { client_id: id, name, redirect_uris: redirectUris } = client;
    return { id, name, redirectUris, source: "registered" };
  }
  throw new OAuthRefusal(
    "invalid_client",
    "This app is no longer registered here. Remove the connection in the app and add it again.",
  );
}

type Asking = { database: Database; userId: string; allowPrivate: boolean };

/** Returns a program by its metadata document, or by our copy if the document cannot be read. */
export async function readDocumentClient(clientId: string, asking: Asking): Promise<OAuthClient> {
  requireDocumentAddress(clientId, asking.allowPrivate);
  const document = await readDocument(clientId, asking);
  if (document) return toClient(clientId, document, { source: "document" });
  const copy = Object.hasOwn(knownClients, clientId) ? knownClients[clientId] : undefined;
  if (copy) return toClient(clientId, copy, { source: "pinned", pinnedOn });
  throw new OAuthRefusal(
    "invalid_client",
    `The description of this app at ${clientId} could not be read, and there is no copy of it here. Try again later, or let the app register itself.`,
  );
}

function toClient(
  id: string,
  { client_name: name, redirect_uris: redirectUris }: ClientDocument,
  source: Pick<OAuthClient, "source" | "pinnedOn">,
): OAuthClient {
  return { id, name, redirectUris, ...source };
}

function requireDocumentAddress(clientId: string, allowPrivate: boolean): void {
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  const isAddress =
    url !== undefined &&
    clientId.length <= 2000 &&
    (url.protocol === "https:" || allowPrivate) &&
    // Must be in normalized form, so that one program has only one spelling.
    url.href === clientId &&
    url.pathname !== "/" &&
    !url.hash &&
    !url.username &&
    !url.password;
  if (isAddress) return;
  throw new OAuthRefusal(
    "invalid_client",
    "client_id is neither a registered id nor the https address of a metadata document.",
  );
}

async function readDocument(
  address: string,
  { database, userId, allowPrivate }: Asking,
): Promise<ClientDocument | null> {
  const known = kept.get(address);
  if (known && known.until > performance.now()) return known.document;
  await takeLimit(database, "client_document", userId);
  const document = await fetchDocument(address, allowPrivate);
  kept.delete(address);
  kept.set(address, { document, until: performance.now() + keptMilliseconds });
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
  return document;
}

async function fetchDocument(address: string, allowPrivate: boolean): Promise<ClientDocument | null> {
  try {
    const headers = { Accept: "application/json", "User-Agent": "Backloom" };
    const { status, text } = await get({ address, headers, allowPrivate });
    return status === 200 ? parseDocument(address, text) : null;
  } catch {
    // Refused, slow or not JSON: the caller may use a copy.
    return null;
  }
}

/** Public clients only: a shared secret cannot be published in a document. */
const documentSchema = clientMetadataSchema.extend({
  client_id: z.string(),
  token_endpoint_auth_method: z
    .string()
    .refine((method) => !method.startsWith("client_secret"))
    .optional(),
});

function parseDocument(address: string, text: string): ClientDocument | null {
  const { client_id, client_name, redirect_uris } = documentSchema.parse(JSON.parse(text));
  if (client_id !== address) return null;
  const usable = redirect_uris.filter(isAllowedRedirect);
  if (usable.length === 0) return null;
  return { client_name: shownName(client_name, new URL(address).hostname), redirect_uris: usable };
}

/** Returns a program's self-chosen name as one short line, or `otherwise`. */
export function shownName(given: string | undefined, otherwise: string): string {
  const line = (given ?? "").replace(/[\p{Cc}\p{Cf}\p{Surrogate}\s]+/gu, " ").trim();
  return [...line].slice(0, 100).join("") || otherwise;
}

/** The fields of a program's metadata document that we use. */
type ClientDocument = { client_name: string; redirect_uris: readonly string[] };

/** Date on which the copies below were compared with the originals. */
const pinnedOn = "2026-09-08";

const anyLoopback = ["http://localhost/callback", "http://127.0.0.1/callback"];

/**
 * Copies of metadata documents, whose servers refuse many networks (403 by address) or are out of reach, so that
 * people can sign in. The original is preferred, and the consent page says which was used.
 */
const knownClients: Readonly<Record<string, ClientDocument>> = {
  "https://claude.ai/oauth/claude-code-client-metadata": { client_name: "Claude Code", redirect_uris: anyLoopback },
  "https://claude.ai/oauth/mcp-oauth-client-metadata": {
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
  },
  "https://chatgpt.com/oauth/client.json": {
    client_name: "ChatGPT",
    redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
  },
  "https://chatgpt.com/oauth/codex/client.json": { client_name: "Codex", redirect_uris: anyLoopback },
  "https://vscode.dev/oauth/client-metadata.json": {
    client_name: "Visual Studio Code",
    redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
  },
  "https://opencode.ai/oauth/opencode/client.json": { client_name: "opencode", redirect_uris: anyLoopback },
  "https://zed.dev/oauth/client-metadata.json": { client_name: "Zed", redirect_uris: ["http://127.0.0.1/callback"] },
};

/** Loopback names. A program there listens on a port it learns only at start (RFC 8252, 7.3). */
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Editor schemes that are exempt from the rule of reverse domain names (RFC 8252, 7.1). */
const editorSchemes = new Set(["cursor:", "vscode:", "vscode-insiders:", "vscodium:", "windsurf:", "zed:"]);

/** Whether a browser may be sent there with a code: https, loopback, or a scheme that belongs to one program. */
export function isAllowedRedirect(address: string): boolean {
  if (address.length > 2000 || !/^[\x21-\x7e]+$/.test(address) || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (address.includes("#") || username || password) return false;
  if (protocol === "https:") return true;
  if (protocol === "http:") return loopback.has(hostname);
  return editorSchemes.has(protocol) || protocol.includes(".");
}

/** Whether the address is one the program named. Loopback addresses match with any port. */
export function isNamedRedirect(named: readonly string[], address: string): boolean {
  if (!isAllowedRedirect(address)) return false;
  if (named.includes(address)) return true;
  const portless = withoutPort(address);
  return portless !== undefined && named.some((one) => withoutPort(one) === portless);
}

function withoutPort(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, pathname, search } = new URL(address);
  if (protocol !== "http:" || !loopback.has(hostname)) return undefined;
  return `${hostname}${pathname}${search}`;
}
