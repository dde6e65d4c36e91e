import { z } from "zod";
import { apiRoute, openEndpoint, type RouteArgs } from "~/http/endpoint.server";
import { clearPairCookies, readPairCookieHash } from "~/http/pair-cookie.server";
import { parseJsonBody, readOpenBody } from "~/http/request-body.server";
import { json, problem } from "~/http/responses.server";
import { sealSessionCookies, withCookies } from "~/http/session.server";
import { signingInBrowser } from "~/http/signing-in.server";
import { type ClaimedPairing, claimPairing } from "~/nouns/pairings/pair.server";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { pairingClaimSchema } from "~/wire/pairings/contract";

/** After these statuses the pairing cookie is useless. While the pairing is pending it is still needed. */
const finalFailures: readonly number[] = [400, 401, 410];

type Call = Pick<RouteArgs, "request" | "context">;

export const loader = apiRoute({
  POST: openEndpoint({
    name: "claimPairing",
    summary: "Turn an approved pairing into a session",
    auth: "none",
    caller: "pairing",
    takes: { body: pairingClaimSchema },
    answer: z.object({ ok: z.literal(true) }),
    refusals: [400, 401, 403, 409, 410, 413, 500],
    handle: async ({ request, context }) => {
      try {
        return await signedIn(await claim({ request, context }), context);
      } catch (error) {
        if (!(error instanceof ContractError) || !finalFailures.includes(error.status)) throw error;
        return withCookies(problem(error), clearPairCookies(context.services.env));
      }
    },
  }),
});

async function claim({ request, context }: Call): Promise<ClaimedPairing> {
  const desktopTokenHash = readPairCookieHash(request.headers.get("cookie"), context.services.env);
  if (desktopTokenHash === undefined) {
    throw new ContractError(401, "There is no pairing cookie. Show a new code.");
  }
  const pairingId = await readPairingId({ request, context });
  if (!isCanonicalUuid(pairingId)) {
    throw new ContractError(401, "This pairing was started by another browser. Show a new code.");
  }
  const browser = await signingInBrowser(request, context);
  return claimPairing(context.services.database, pairingId, desktopTokenHash, browser);
}

/** Any bad body is 400 here: no JSON, no `pairingId`, or one of the wrong type. */
async function readPairingId({ request, context }: Call): Promise<string> {
  const bytes = await readOpenBody(context);
  const body = pairingClaimSchema.safeParse(parsedBody(bytes, request.headers));
  if (body.success) return body.data.pairingId;
  throw badBody();
}

function parsedBody(bytes: Uint8Array, headers: Headers): unknown {
  try {
    return parseJsonBody(bytes, headers, true);
  } catch {
    throw badBody();
  }
}

function badBody(): ContractError {
  return new ContractError(400, 'Send the body as JSON: { "pairingId": "<pairing id>" }.');
}

async function signedIn(claimed: ClaimedPairing, context: Call["context"]): Promise<Response> {
  const { env } = context.services;
  const session = await sealSessionCookies(
    {
      session_id: claimed.session_id,
      user_id: claimed.user_id,
      is_demo: claimed.is_demo,
      paired: true,
      pairedExpiresAt: claimed.paired_expires_at,
    },
    env,
  );
  return withCookies(json({ ok: true }), [...session, ...clearPairCookies(env)]);
}

export const action = loader;
