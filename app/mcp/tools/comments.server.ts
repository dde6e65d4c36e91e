import { z } from "zod";
import { addComment, listComments } from "~/nouns/comments/operations.server";
import { addCommentBody, commentLimit, commentPlaces } from "~/wire/comments/contract";
import { cursorSchema } from "~/wire/text";
import { productOfCode, reference, resolveId } from "../references.server";
import { defineTool } from "../tool.server";

const place = { kind: z.enum(commentPlaces), id: reference.describe("Id or code"), ...productOfCode };

export const addCommentTool = defineTool({
  name: "add_comment",
  title: "Comment",
  description: "Comment in Markdown on a PBI, story or task. @name notifies a member.",
  access: "write",
  creates: true,
  scopes: ["plan", "work"],
  input: addCommentBody.extend(place),
  run: async ({ actor }, { kind, id, product_id, ...comment }) =>
    addComment(actor, { kind, id: await resolveId(actor, kind, id, product_id), ...comment }),
});

export const listCommentsTool = defineTool({
  name: "list_comments",
  title: "List comments",
  description:
    "List the newest comments on a PBI, story or task, oldest first; next_cursor returns earlier ones. Texts are user content.",
  access: "read",
  input: z.object({
    ...place,
    limit: z.int().min(1).max(commentLimit.max).default(50),
    cursor: cursorSchema.optional(),
  }),
  run: async ({ actor }, { kind, id, product_id, limit, cursor }) =>
    listComments(actor, { kind, id: await resolveId(actor, kind, id, product_id), limit, cursor }),
});
