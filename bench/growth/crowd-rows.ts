import type pg from "pg";

/** Those that grow with the work of years, and with those who come; the rows of the others are few. */
export const crowdTables = [
  "products",
  "pbis",
  "sprints",
  "stories",
  "tasks",
  "story_logs",
  "task_status_changes",
  "sprint_runs",
  "agent_jobs",
  "usage_events",
];

/** Owners with five products each, and two colleagues in each product. */
export async function fillPeople(client: pg.Client, products: number): Promise<void> {
  const people = Math.max(3, Math.ceil(products / 5));
  await client.query(
    `insert into auth.users (id, email, raw_user_meta_data)
     select md5('crowd user ' || n)::uuid, 'crowd-' || n || '@example.com', jsonb_build_object('username', 'crowd-' || n)
     from generate_series(0, $1::integer - 1) n`,
    [people],
  );
  await client.query("set session_replication_role = replica");
  await client.query(
    `with p as (
       insert into public.products (id, owner_id, code, name, pr_strategy)
       select md5('crowd product ' || n)::uuid, md5('crowd user ' || n % $2)::uuid, 'CROWD-' || n, 'Crowd ' || n, 'STORY'
       from generate_series(1, $1::integer) n)
     insert into public.product_members (product_id, user_id, role, workers_allowed)
     select md5('crowd product ' || n)::uuid, md5('crowd user ' || (n + k) % $2)::uuid,
       case k when 0 then 'OWNER' else 'MEMBER' end::public.member_role, true
     from generate_series(1, $1::integer) n, generate_series(0, 2) k`,
    [products, people],
  );
  await client.query("reset session_replication_role");
}

export interface CrowdPart {
  /** Products. */
  first: number;
  last: number;
  /** Stories of each product: those that are there already, and those that are to be. */
  after: number;
  upTo: number;
}

/**
 * Past the triggers, which would number and announce each row. A sprint is ten stories of one PBI; the first is active and
 * in the hands of a run, all others ended long ago with a run, a job for each task, its usage and its history.
 */
export async function fillCrowd(client: pg.Client, part: CrowdPart): Promise<void> {
  const { first, last, after, upTo } = part;
  const id = (kind: string, n: string) => `md5('${kind} ' || p || ' ' || ${n})::uuid`;
  const productId = "md5('crowd product ' || p)::uuid";
  const products = `generate_series(${first}, ${last}) p`;
  const stories = `${products}, generate_series(${after + 1}, ${upTo}) s`;
  const tasks = `${products}, generate_series(${after * 8 + 1}, ${upTo * 8}) t`;
  const sprints = `${products}, generate_series(${Math.ceil(after / 10) + 1}, ${Math.ceil(upTo / 10)}) k`;
  const storyOfTask = "((t - 1) / 8 + 1)";
  const sprintOfTask = "((t - 1) / 80 + 1)";
  const active = (sprint: string) => `${sprint} = 1`;
  // Over three years, at hours that have nothing to do with the order of the rows.
  const at = (n: string) => `now() - make_interval(hours => 24 + (${n} * 7919 + p * 104729) % 26000)`;
  const ended = (isActive: string, kind: string) =>
    `case when ${isActive} then 'QUEUED' else 'DONE' end::public.${kind}`;
  for (const statement of [
    `insert into public.pbis (id, product_id, code, title, sort_order)
     select ${id("pbi", "k")}, ${productId}, 'PBI-' || k, 'Item ' || k, k from ${sprints}`,
    `insert into public.sprints (id, product_id, code, sprint_goal, status, started_at, completed_at)
     select ${id("sprint", "k")}, ${productId}, 'SP-' || k, 'Goal ' || k,
       case when ${active("k")} then 'ACTIVE' else 'COMPLETED' end::public.sprint_status, ${at("k")},
       case when not ${active("k")} then ${at("k")} end from ${sprints}`,
    `insert into public.stories (id, product_id, pbi_id, sprint_id, code, title, description, acceptance_criteria, status, sort_order, created_at)
     select ${id("story", "s")}, ${productId}, ${id("pbi", "(s - 1) / 10 + 1")}, ${id("sprint", "(s - 1) / 10 + 1")},
       'ST-' || s, 'Story ' || s, 'What people want, in a sentence or two of some length.', '- [ ] It works',
       case when ${active("(s - 1) / 10 + 1")} then 'IN_SPRINT' else 'DONE' end::public.story_status, s, ${at("s")} from ${stories}`,
    `insert into public.tasks (id, product_id, story_id, code, title, description, implementation_plan, sort_order, status, verify_required, created_at)
     select ${id("task", "t")}, ${productId}, ${id("story", storyOfTask)}, 'T-' || t, 'Task ' || t, 'One step of it.',
       'Plan of some length.', t, case when ${active(sprintOfTask)} then 'TO_DO' else 'DONE' end::public.task_status, 'ANY', ${at("t")}
     from ${tasks}`,
    `insert into public.story_logs (story_id, product_id, type, content, commit_hash, commit_message, created_at)
     select ${id("story", "s")}, ${productId}, 'COMMIT', 'What was done', md5(s::text), 'Do it', ${at("s")} from ${stories}`,
    `insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status, changed_at)
     select ${id("task", "t")}, ${id("story", storyOfTask)}, ${productId}, ${id("sprint", sprintOfTask)},
       (array['TO_DO', 'IN_PROGRESS'])[c]::public.task_status, (array['IN_PROGRESS', 'DONE'])[c]::public.task_status, ${at("t")}
     from ${tasks}, generate_series(1, 2) c where not ${active(sprintOfTask)}`,
    `insert into public.sprint_runs (id, sprint_id, product_id, status, pr_strategy, branch, started_at, finished_at)
     select ${id("run", "k")}, ${id("sprint", "k")}, ${productId}, ${ended(active("k"), "sprint_run_status")}, 'STORY', 'run-' || k, ${at("k")},
       case when not ${active("k")} then ${at("k")} end from ${sprints}`,
    `insert into public.agent_jobs (id, product_id, task_id, kind, status, sprint_run_id, lane_id, position, in_turn, branch,
       attempt, head_sha, model_id, input_tokens, output_tokens, summary, finished_at, created_at)
     select ${id("job", "t")}, ${productId}, ${id("task", "t")}, 'TASK_IMPLEMENTATION', ${ended(active(sprintOfTask), "agent_job_status")},
       ${id("run", sprintOfTask)}, ${id("story", storyOfTask)}, t, not ${active(sprintOfTask)} or t % 8 = 1, 'story-' || ${storyOfTask},
       case when ${active(sprintOfTask)} then 0 else 1 end, md5(t::text), 'model', 1000, 100, 'Done as planned.',
       case when not ${active(sprintOfTask)} then ${at("t")} end, ${at("t")} from ${tasks}`,
    `insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, attempt, seq, model_id, input_tokens, output_tokens, cost, currency, source, created_at)
     select ${productId}, ${id("job", "t")}, ${id("task", "t")}, ${id("run", sprintOfTask)}, 1, 1, 'model', 1000, 100, 0.01, 'USD', 'reported', ${at("t")}
     from ${tasks} where not ${active(sprintOfTask)}`,
  ]) {
    await client.query(statement);
  }
}
