import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { confirmChat } from "~/nouns/chats/operations.server";

/** `/api/chats/:id/confirm`: the account that typed the code is yours. */
export const loader = apiRoute({
  POST: operationEndpoint(confirmChat, {
    summary: "Approve the account that typed your code as yours. Session only",
    caller: "person",
    refusals: [409],
    input: ({ id }) => ({ chat_id: id }),
  }),
});

export const action = loader;
