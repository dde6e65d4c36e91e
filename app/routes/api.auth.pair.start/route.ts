import { startPairing } from "~/domain/pairings/start-pairing.server";
import { apiRoute } from "~/http/api-route.server";
import { addressLimitKey } from "~/http/client-address.server";
import { openEndpoint } from "~/http/endpoint.server";
import { pairCookie } from "~/http/pair-cookie.server";
import { json } from "~/http/responses.server";
import { userAgentOf } from "~/http/signing-in-browser.server";

/** `POST /api/auth/pair/start`: a signed-out desktop gets a code to show. */
const route = apiRoute({
  POST: openEndpoint({
    auth: "none",
    handle: async ({ request, context }) => {
      const { database, env } = context.services;
      const address = context.clientAddress;
      const { pairing, desktopToken } = await startPairing(
        database,
        { userAgent: userAgentOf(request), address, addressKey: addressLimitKey(address) },
        env.appOrigin,
      );
      return json(pairing, { headers: { "set-cookie": pairCookie(desktopToken, env) } });
    },
  }),
});

export const loader = route.loader;
export const action = route.action;
