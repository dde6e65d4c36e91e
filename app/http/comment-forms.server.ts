import type { Actor } from "~/db/rpc.server";
import { addCommentInput, editCommentInput } from "~/nouns/comments/contract";
import { addComment, deleteComment, editComment } from "~/nouns/comments/operations.server";
import { done, readForm, runForm, runOperation } from "./form-action.server";

/** Intents for comment forms. Each form carries its item, so every page can use them. */
export function commentIntents(actor: Actor, form: FormData, back: string) {
  return {
    "add-comment": () =>
      runForm(form, addCommentInput, async (input) => {
        const { id } = await addComment(actor, input);
        return done(form, `${back}#comment-${id}`, "Comment added");
      }),
    "edit-comment": async () => {
      const { id } = await editComment(actor, readForm(form, editCommentInput));
      return done(form, `${back}#comment-${id}`, "Comment saved");
    },
    "delete-comment": () =>
      runOperation(actor, form, deleteComment, `${back}#comments`, "Comment deleted"),
  };
}
