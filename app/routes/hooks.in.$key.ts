import { apiRoute, openEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { hashHookKey, receiveItem } from "~/nouns/intake/intake-hook.server";
import { receivedItemInput, receivedItemSchema } from "~/wire/intake/contract";

/** `POST /hooks/in/:key`: brings another service's item into Triage. The key in the address is the only credential. */
export const loader = apiRoute({
  POST: openEndpoint({
    name: "receiveItem",
    summary: "Send an item to Triage. The same external_id returns 200 and the item's status",
    auth: "none",
    limit: "hook_address",
    // Its text alone may have 100,000 characters.
    bodyLimit: 131_072,
    body: receivedItemInput,
    answer: receivedItemSchema,
    status: 201,
    refusals: [403, 404, 429],
    handle: async ({ body, params, context: { services } }) => {
      const { is_new, ...item } = await receiveItem(services.database, {
        ...body,
        key_hash: hashHookKey(params.key ?? ""),
      });
      return json(item, { status: is_new ? 201 : 200 });
    },
  }),
});

export const action = loader;
