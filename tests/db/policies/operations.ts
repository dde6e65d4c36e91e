import type pg from "pg";
import type { Actor } from "~/db/rpc.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { createWebhook } from "~/nouns/notices/operations.server";
import { createInvitation } from "~/nouns/products/invitations.server";
import { askAboutIdea, askQuestion } from "~/nouns/questions/operations.server";
import { createSavedView } from "~/nouns/saved-views/operations.server";
import type { TestDatabase } from "../../setup/database";
import { at, type SprintWorld } from "../../setup/world";

export type Operation = { name: string; parameters: { name: string; type: string }[] };

/** Every operation that signed-in users may call, all of them or those that write. */
export async function listOperations(t: TestDatabase, writingOnly: boolean): Promise<Operation[]> {
  const rows = await t.query<Operation>`
    select p.proname as name,
      coalesce((select json_agg(json_build_object('name', a.name, 'type', format_type(a.type, null)) order by a.place)
        from unnest(p.proargnames, p.proargtypes::oid[]) with ordinality as a (name, type, place)), '[]') as parameters
    from pg_proc p
    where p.pronamespace = 'operations'::regnamespace and (p.provolatile = 'v' or not ${writingOnly}) and p.prorettype <> 'trigger'::regtype
      and has_function_privilege('authenticated', p.oid, 'execute')
    order by 1`;
  return rows;
}

/** What reads, and counts that it was asked: it is volatile and writes nothing else. */
export const countedReads: readonly string[] = ["list_candidates", "search"];

/** Writes that name no product: what they change is the account's own, in any role. */
export const ofAccounts: Readonly<Record<string, string>> = Object.fromEntries(
  `admin_update_user approve_pairing cancel_pairing confirm_chat delete_chat revoke_api_token revoke_other_sessions
  revoke_pairing revoke_session set_avatar subscribe_push unsubscribe_push update_chat update_profile`
    .split(/\s+/)
    .map((name) => [name, "of the account"]),
);

/** A fitting id for each parameter by its name, so that an operation gets as far as it can. */
export type Ids = Record<string, string> & { p_product_id: string };

/** One of everything that a product of a sprint may hold, as its author and its workers leave it, with the ids. */
export async function fillProduct(t: TestDatabase, world: SprintWorld, author: Actor, job_id: string) {
  const product_id = world.product.id;
  const story_id = at(world.stories, 0).id;
  const question = await askQuestion(author, { story_id, question: "Which?" });
  const idea = await createIdea(author, { product_id, title: "Idea" });
  const asked = await askAboutIdea(author, { idea_id: idea.id, question: "How?" });
  const view = await createSavedView(author, { product_id, page: "board", name: "View", look: {} });
  const webhook = await createWebhook(world.actor, { product_id, url: "https://example.com/hook" });
  const invitation = await createInvitation(world.actor, { product_id, role: "MEMBER" });
  const landing = await t.query`
    insert into public.landings (product_id, job_id, branch, ours_sha, worker, lease_until)
    values (${product_id}, ${job_id}, 'backloom/ST-1', 'abc', 'w', now()) returning id`;
  const lesson = await t.query`insert into public.lessons (product_id, text, cause)
    values (${product_id}, 'Test it.', 'ci_failed') returning id`;
  const upkeep = await t.query`insert into public.upkeeps (product_id, kind, worker, lease_until)
    values (${product_id}, 'agents_md', 'w', now()) returning id`;
  const issueNote = await t.query`
    insert into public.issue_notes (product_id, url, deed, worker, lease_until)
    values (${product_id}, 'https://code.example/acme/shop/issues/7', 'comment', 'w', now())
    returning id`;
  return {
    p_invitation_id: invitation.id,
    p_webhook_id: webhook.id,
    p_landing_id: at(landing, 0).id,
    p_lesson_id: at(lesson, 0).id,
    p_issue_note_id: at(issueNote, 0).id,
    p_upkeep_id: at(upkeep, 0).id,
    p_view_id: view.id,
    p_product_id: product_id,
    p_pbi_id: world.pbi.id,
    p_story_id: story_id,
    p_story_ids: story_id,
    p_task_id: at(world.tasks, 0).id,
    p_sprint_id: world.sprint.id,
    p_job_id: job_id,
    p_question_id: question.id,
    p_user_question_id: asked.id,
    p_idea_id: idea.id,
  };
}

/** A word of the product that is looked for. */
export const secret = "Quetzalcoatlus";

/** Texts that are one of a few words, or of a form. */
const texts: Readonly<Record<string, string>> = {
  p_status: "'done'",
  p_kind: "'task'",
  p_cursor: "null",
  p_query: `'${secret}'`,
  p_reference: `'${secret}'`,
};

function valueFor({ name, type }: Operation["parameters"][number], ids: Ids): string {
  if (type === "uuid") return `'${ids[name] ?? ids.p_product_id}'`;
  if (name === "p_story_ids") return `'["${ids[name] ?? ids.p_product_id}"]'`;
  if (type === "jsonb") return `'{"title": "changed", "name": "changed", "sprint_goal": "changed"}'`;
  if (type === "boolean") return "true";
  if (type === "integer" || type === "numeric" || type === "bigint") return "1";
  if (type === "text") return texts[name] ?? "'changed'";
  return "null";
}

/** Whether an operation takes an id of one of these; what an `p_id` is, only a kind next to it says. */
export function namesOneOf(parameters: Operation["parameters"], names: readonly string[]): boolean {
  const hasKind = parameters.some(({ name }) => name === "p_kind");
  return parameters.some(({ name }) => names.includes(name) && (name !== "p_id" || hasKind));
}

/** The answer of an operation as text, or the SQLSTATE of its refusal. */
export async function attempt(
  client: pg.PoolClient,
  operation: Operation,
  ids: Ids,
): Promise<{ answer: string } | { code: string }> {
  const values = operation.parameters.map((parameter) => `${parameter.name} => ${valueFor(parameter, ids)}`);
  await client.query("savepoint attempt");
  try {
    const { rows } = await client.query(`select operations.${operation.name}(${values.join(", ")})::text as answer`);
    return { answer: String(rows[0]?.answer) };
  } catch (error) {
    await client.query("rollback to savepoint attempt");
    return { code: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  }
}

export async function snapshot(t: TestDatabase): Promise<Record<string, string>> {
  const rows = await t.query`select tablename from pg_tables where schemaname in ('public') order by 1`;
  const content: Record<string, string> = {};
  for (const { tablename } of rows) {
    const { rows: found } = await t.sql.query(
      `select count(*) || ' ' || coalesce(md5(string_agg(x::text, ',' order by x::text)), '') as content from public.${tablename} x`,
    );
    content[tablename] = found[0]?.content;
  }
  return content;
}
