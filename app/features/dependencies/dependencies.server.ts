import type { Actor } from "~/db/rpc.server";
import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { done, doneForNow, readForm, runForm, textOf } from "~/http/form-action.server";
import { reportMerged } from "~/nouns/agent-jobs/operations.server";
import { addDependency, listDependencies, removeDependency } from "~/nouns/dependencies/operations.server";
import { reportMergedInput } from "~/wire/agent-jobs/contract";
import * as wire from "~/wire/dependencies/contract";

const nouns: Record<wire.DependencyKind, string> = { task: "Task", story: "Story" };

/** Route that lists and adds dependencies, for tasks and stories alike. */
export function dependenciesRoute(kind: wire.DependencyKind) {
  return apiRoute({
    GET: operationEndpoint(listDependencies, {
      name: `list${nouns[kind]}Dependencies`,
      summary: `List what blocks a ${kind}, and what it blocks`,
      input: ({ id }) => ({ kind, id }),
    }),
    POST: operationEndpoint(addDependency, {
      name: `add${nouns[kind]}Dependency`,
      summary: `Add a blocker to a ${kind}; a cycle is rejected with its path`,
      auth: "bearer",
      body: wire.addDependencyBody,
      status: 201,
      refusals: [409, 429],
      input: ({ id, body }) => ({ kind, id, ...body }),
    }),
  });
}

export function dependencyRoute(kind: wire.DependencyKind) {
  return apiRoute({
    DELETE: operationEndpoint(removeDependency, {
      name: `remove${nouns[kind]}Dependency`,
      summary: `Remove a blocker from a ${kind}; succeeds if there is none`,
      auth: "bearer",
      status: 204,
      input: ({ id, params }) => ({ kind, id, blocker: params.blocker ?? "" }),
    }),
  });
}

type Side = { kind: wire.DependencyKind; id: string; back: string };

/** Intents for dependency forms, shared by the task and story pages. */
export function dependencyIntents(actor: Actor, form: FormData, side: Side) {
  return {
    "add-dependency": () => addDependencyForm(actor, form, side),
    "remove-dependency": () => removeDependencyForm(actor, form, side.back),
    "mark-merged": () => markMergedForm(actor, form, side.back),
  };
}

/** Adds a blocker to a task or story. Errors are shown next to the field. */
function addDependencyForm(actor: Actor, form: FormData, { kind, id, back }: Side): Promise<Response> {
  form.set("kind", kind);
  form.set("id", id);
  return runForm(form, wire.addDependencyInput, async (input) => {
    await addDependency(actor, input);
    return done(form, back, `Blocked by ${input.blocked_by}`);
  });
}

/** Adds a blocker from the menu of a row. The form sends `thing` (kind:id) and the blocker. */
export async function addDependencyOfRow(actor: Actor, form: FormData): Promise<Response> {
  const [kind = "", id = ""] = textOf(form, "thing").split(":");
  form.set("kind", kind);
  form.set("id", id);
  const input = readForm(form, wire.addDependencyInput);
  await addDependency(actor, input);
  const fields = { intent: "remove-dependency", kind, id, blocker: input.blocked_by };
  const back = { action: kind === "task" ? `/tasks/${id}` : `/stories/${id}`, fields };
  return done(form, "/dashboard", `Blocked by ${input.blocked_by}`, { back });
}

/** Removes a dependency, from the task or story page or from a run's pre-flight. */
export async function removeDependencyForm(actor: Actor, form: FormData, back: string): Promise<Response> {
  await removeDependency(actor, readForm(form, wire.removeDependencyInput));
  return done(form, back, "Waits no more");
}

/** Records the owner's word that the code of a done item is on the main branch, where no worker can see it. */
async function markMergedForm(actor: Actor, form: FormData, back: string): Promise<Response> {
  const { released } = await reportMerged(actor, readForm(form, reportMergedInput));
  return doneForNow(form, back, `Noted${wire.releasedWords(released)}`);
}
