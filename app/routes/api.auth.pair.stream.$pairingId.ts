import { openEventStream } from "~/http/open-event-stream.server";
import { readPairCookieHash } from "~/http/pair-cookie.server";
import { openStreamRoute } from "~/http/stream-route.server";
import { getPairingState } from "~/nouns/pairings/operations.server";
import { pairingStream } from "~/sse/pairing-stream.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

/** `GET /api/auth/pair/stream/:pairingId`: status of a pairing, for the desktop whose cookie started it. */
export const loader = openStreamRoute({
  name: "streamPairing",
  summary: "Stream the status of a pairing",
  caller: "pairing",
  refusals: [401, 404, 410, 500],
  open: async ({ request, context, params }) => {
    const desktopTokenHash = readPairCookieHash(request.headers.get("cookie"), context.services.env);
    if (desktopTokenHash === undefined) {
      throw new ContractError(401, "There is no pairing cookie. Show a new code.");
    }
    // The cookie is checked first: without one, an unknown id is 401 like any other.
    const pairingId = canonicalId(params.pairingId);
    const pairing = { pairing_id: pairingId, desktop_token_hash: desktopTokenHash };
    const read = () => getPairingState(context.services.database, pairing);
    return openEventStream({ request, context }, pairingStream({ pairingId, read }));
  },
});
