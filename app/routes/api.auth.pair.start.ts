import { addressLimitKey } from "~/http/client-address.server";
import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { pairCookies } from "~/http/pair-cookie.server";
import { json } from "~/http/responses.server";
import { withCookies } from "~/http/session.server";
import { userAgentOf } from "~/http/signing-in.server";
import { startPairing } from "~/nouns/pairings/pair.server";
import { startedPairingSchema } from "~/wire/pairings/contract";

export const loader = apiRoute({
  POST: openEndpoint({
    name: "startPairing",
    summary: "Start a sign-in by QR code",
    auth: "none",
    answer: startedPairingSchema,
    refusals: [403, 429, 500],
    handle: async ({ request, context }) => {
      const { database, env } = context.services;
      const address = context.clientAddress;
      const { pairing, desktopToken } = await startPairing(
        database,
        { userAgent: userAgentOf(request), address, addressKey: addressLimitKey(address) },
        context.origin,
      );
      return withCookies(json(pairing), pairCookies(desktopToken, env));
    },
  }),
});

export const action = loader;
