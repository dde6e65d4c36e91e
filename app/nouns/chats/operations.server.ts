import { z } from "zod";
import { noInput, operation, patchOperation, serviceOperation } from "~/nouns/operation.server";
import * as wire from "~/wire/chats/contract";
import { agentQuestionSchema } from "~/wire/questions/contract";

/** The caller's chats, paired and under way. */
export const listChats = operation("list_chats", noInput, wire.ownChatsSchema);

/** Begins to pair an account: returns the code to type to the bot. */
export const createChat = operation("create_chat", wire.createChatInput, wire.createdChatSchema);

/** Says that the account which typed the code is the caller's. */
export const confirmChat = operation("confirm_chat", wire.chatIdInput, wire.chatSchema);

/** Changes what a person hears in a chat. */
export const updateChat = patchOperation(
  "update_chat",
  wire.updateChatInput,
  { own: ["chat_id"], rest: "fields" },
  wire.chatSchema,
);

/** Ends a pairing. */
export const deleteChat = operation("delete_chat", wire.chatIdInput, wire.deletedChatSchema);

/** State and last error of each service, for administrators. */
export const listChatConnections = operation("list_chat_connections", noInput, wire.chatConnectionsSchema);

/** Takes or keeps the connection of a service for one process, and says how it is. */
export const holdChat = serviceOperation("hold_chat", wire.holdChatInput, z.boolean());

/** Deals with a press or a text, once. */
export const hearChat = serviceOperation("hear_chat", wire.hearChatInput, wire.chatReplySchema);

/** A message to send, or with a `ref` to edit. `ids` are the rows that it settles, `questions` the first of `total`. */
const chatWorkSchema = z.object({
  chat_id: z.string(),
  room: z.string(),
  titles: z.boolean(),
  time_zone: z.string(),
  ids: z.array(z.string()),
  ref: z.string().nullable(),
  total: z.int(),
  questions: z.array(agentQuestionSchema.extend({ key: z.string(), snoozed_until: z.string().nullable() })),
});
export type ChatWork = z.infer<typeof chatWorkSchema>;

/** Takes what is to be sent and edited now. */
export const takeChatWork = serviceOperation("take_chat_work", wire.takeChatWorkInput, z.array(chatWorkSchema));

/** Records how a message went. */
export const noteChatWork = serviceOperation(
  "note_chat_work",
  wire.noteChatWorkInput,
  z.object({ noted: z.boolean() }),
);
