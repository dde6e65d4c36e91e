import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { deleteChat, updateChat } from "~/nouns/chats/operations.server";
import { updateChatBody } from "~/wire/chats/contract";

/** `/api/chats/:id`: changes what you hear in a chat, or ends its pairing. */
export const loader = apiRoute({
  PATCH: operationEndpoint(updateChat, {
    summary: "Update what you hear in a chat. Session only",
    caller: "person",
    body: updateChatBody,
    input: ({ id, body }) => ({ ...body, chat_id: id }),
  }),
  DELETE: operationEndpoint(deleteChat, {
    summary: "Delete a chat, which ends its pairing. Session only",
    status: 204,
    caller: "person",
    input: ({ id }) => ({ chat_id: id }),
  }),
});

export const action = loader;
