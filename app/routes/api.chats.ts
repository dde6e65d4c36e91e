import { apiRoute, endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { createChat, listChats } from "~/nouns/chats/operations.server";
import { chatListSchema, createChatBody, createdChatSchema } from "~/wire/chats/contract";

/** `/api/chats`: the caller's accounts of chat services; begins to pair one. */
export const loader = apiRoute({
  GET: endpoint({
    name: "listChats",
    summary: "List your chats and the services that this installation has. Session only",
    answer: chatListSchema,
    caller: "person",
    handle: async ({ actor, context }) => {
      const { chats } = await listChats(actor);
      return json({ available: Object.keys(context.services.env.chats), chats });
    },
  }),
  POST: endpoint({
    name: "createChat",
    summary: "Create a code that pairs an account of a chat service. Session only",
    answer: createdChatSchema,
    status: 201,
    caller: "person",
    body: createChatBody,
    refusals: [409, 429],
    handle: async ({ actor, context, body }) => {
      const isSetUp = context.services.env.chats[body.service] !== undefined;
      return json(await createChat(actor, { ...body, is_set_up: isSetUp }), { status: 201 });
    },
  }),
});

export const action = loader;
