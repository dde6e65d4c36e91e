import { redirect } from "@remix-run/node";
import type { Actor } from "~/db/rpc.server";
import { done, mergeEdit, runForm, runIntent, runOperation } from "~/http/form-action.server";
import * as ideas from "~/nouns/ideas/operations.server";
import { askAboutIdea } from "~/nouns/questions/operations.server";
import { promoteIdeaInput, updateIdeaInput } from "~/wire/ideas/contract";
import { askAboutIdeaInput } from "~/wire/questions/contract";

/** Handles all forms of an idea's page. */
export async function actOnIdea(actor: Actor, ideaId: string, form: FormData): Promise<Response> {
  const back = `/ideas/${ideaId}`;
  form.set("idea_id", ideaId);
  return runIntent(form, {
    update: () =>
      runForm(
        form,
        updateIdeaInput,
        async (input) => {
          await mergeEdit((edit) => ideas.updateIdea(actor, edit), input);
          return done(form, back, "Saved");
        },
        { description: "" },
      ),
    ask: () =>
      runForm(form, askAboutIdeaInput, async (input) => {
        await askAboutIdea(actor, input);
        return done(form, back, "Question sent. A worker will answer here");
      }),
    promote: () =>
      runForm(form, promoteIdeaInput, async (input) => {
        const { pbi } = await ideas.promoteIdea(actor, input);
        return redirect(`/products/${pbi.product_id}/backlog?panel=pbi:${pbi.id}`, 303);
      }),
    link: () => runOperation(actor, form, ideas.linkIdeaProduct, back),
    unlink: () => runOperation(actor, form, ideas.unlinkIdeaProduct, back),
    archive: async () => {
      await ideas.archiveIdea(actor, { idea_id: ideaId });
      return done(form, back, "Archived");
    },
    restore: async () => {
      await ideas.restoreIdea(actor, { idea_id: ideaId });
      return done(form, back, "Restored");
    },
  });
}
