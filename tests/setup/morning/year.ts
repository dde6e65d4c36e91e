import pg from "pg";

/** Rows of a transaction are written as they are, which only `supabase_admin` may: no trigger follows finished work. */
export async function asHistory(adminUrl: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    for (const statement of statements) await client.query(statement);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

/** Runs, attempts, verdicts, tokens and times of all tasks that were done in finished sprints. */
export const finishedWork = [
  `insert into public.agent_workers (user_id, name, hostname, version, last_seen_at, last_quota_pct)
   select u.id, case u.username when 'mira' then 'attic' else 'loft' end, u.username || '-desk', '0.4.0', now() - interval '6 hours', 64
   from public.users u where u.username in ('mira', 'jonas')`,
  `create temp table past on commit drop as
   select x.*, x.ended - interval '1 minute' * (8 + x.n * 17 % 53) as started,
     x.ended + interval '1 minute' * (4 + x.n * 53 % 311) as seen, x.ended + interval '1 minute' * (7 + x.n * 53 % 311 + x.n % 19) as judged, md5('job ' || x.product_code || x.n)::uuid as job_id,
     1 + (x.n % 7 = 0)::integer as attempts, case when x.of_story % 3 = 0 then 'codex' else 'claude' end as agent
   from (
     select t.id as task_id, t.story_id, t.product_id, p.code as product_code, s.code as story_code, s.sprint_id, p.owner_id,
       t.implementation_plan, sp.started_at, sp.completed_at, md5('run ' || p.code || sp.code)::uuid as run_id, w.id as worker_id, w.name as worker_name,
       row_number() over (order by p.code, length(t.code), t.code) as n, substr(s.code, 4)::integer as of_story,
       sp.started_at + (sp.completed_at - sp.started_at)
         * (row_number() over (partition by sp.id order by length(t.code), t.code) / (1.0 + count(*) over (partition by sp.id))) as ended
     from public.tasks t
     join public.stories s on s.id = t.story_id
     join public.sprints sp on sp.id = s.sprint_id and sp.status = 'COMPLETED'
     join public.products p on p.id = t.product_id
     join public.agent_workers w on w.user_id = p.owner_id
   ) x`,
  `insert into public.sprint_runs (id, sprint_id, product_id, status, pr_strategy, branch, started_by, started_at, finished_at, created_at, updated_at)
   select distinct p.run_id, p.sprint_id, p.product_id, 'DONE'::public.sprint_run_status, 'STORY'::public.pr_strategy, 'backloom', p.owner_id,
     p.started_at, p.completed_at, p.started_at, p.completed_at
   from past p`,
  `insert into public.agent_jobs (id, product_id, task_id, kind, status, sprint_run_id, lane_id, position, branch, plan_snapshot, pushed_at,
     merged_at, verify_result, attempt, agent, worker_id, claimed_at, started_at, base_sha, head_sha, model_id, input_tokens, output_tokens,
     cache_read_tokens, additions, deletions, summary, created_by, finished_at, first_seen_at, judged_at, created_at, updated_at)
   select p.job_id, p.product_id, p.task_id, 'TASK_IMPLEMENTATION', 'DONE', p.run_id, p.story_id, p.n, 'backloom/' || p.story_code, p.implementation_plan,
     p.ended, p.judged + interval '1 minute' * (p.n % 90), case when p.n % 11 = 0 then 'PARTIAL' else 'ALIGNED' end::public.verify_result, p.attempts,
     p.agent, p.worker_id, p.started, p.started, md5('base' || p.n), md5('head' || p.n),
     case p.agent when 'codex' then 'gpt-5' else 'claude-sonnet-4-5' end, 40000 + p.n % 37 * 9000, 3000 + p.n % 23 * 700, 200000 + p.n % 31 * 50000,
     12 + p.n % 41 * 6, p.n % 29 * 3, 'Done as planned; all tests pass.', p.owner_id, p.judged, p.seen, p.judged, p.started_at, p.judged
   from past p`,
  `insert into public.job_attempts (job_id, attempt, product_id, worker_id, worker_name, agent, started_at, ended_at, outcome, head_sha)
   select p.job_id, a.n, p.product_id, p.worker_id, p.worker_name, p.agent,
     p.started - (p.attempts - a.n) * interval '5 hours', p.ended - (p.attempts - a.n) * interval '5 hours', 'done',
     case a.n when p.attempts then md5('head' || p.n) else md5('before ' || p.n) end
   from past p cross join lateral generate_series(1, p.attempts) a (n)`,
  `insert into public.job_reviews (job_id, product_id, attempt, verdict, summary, author_id, author, created_at, handed_in_at, first_seen_at, head_sha)
   select p.job_id, p.product_id, a.attempt, case a.attempt when p.attempts then 'approve' else 'request_changes' end,
     case a.attempt when p.attempts then '' else 'The empty list is missing.' end, u.id, u.username,
     a.ended_at + (p.judged - p.ended), a.ended_at, a.ended_at + (p.seen - p.ended), a.head_sha
   from past p
   join public.job_attempts a on a.job_id = p.job_id
   join public.users u on u.username = case when p.n % 4 = 0 then 'jonas' else 'mira' end`,
  `insert into public.usage_events (product_id, job_id, task_id, sprint_run_id, worker_id, attempt, seq, model_id, input_tokens, output_tokens,
     cache_read_tokens, cost, currency, source, created_at)
   select j.product_id, j.id, j.task_id, j.sprint_run_id, j.worker_id, a.n, a.n, j.model_id, j.input_tokens, j.output_tokens, j.cache_read_tokens,
     (j.input_tokens * 3 + j.output_tokens * 15 + j.cache_read_tokens * 0.3) / 1000000, 'USD', 'list_price', p.ended - (p.attempts - a.n) * interval '5 hours'
   from past p join public.agent_jobs j on j.id = p.job_id cross join lateral generate_series(1, p.attempts) a (n)`,
  "delete from public.task_status_changes c using past p where p.task_id = c.task_id",
  `insert into public.task_status_changes (task_id, story_id, product_id, sprint_id, from_status, to_status, changed_at)
   select p.task_id, p.story_id, p.product_id, p.sprint_id, s.was::public.task_status, s.became::public.task_status, s.at
   from past p cross join lateral (values
     (null, 'TO_DO', p.started_at), ('TO_DO', 'IN_PROGRESS', p.started), ('IN_PROGRESS', 'REVIEW', p.ended), ('REVIEW', 'DONE', p.judged)
   ) s (was, became, at)
   order by s.at`,
  "update public.tasks t set updated_at = p.judged from past p where p.task_id = t.id",
  `update public.stories s set updated_at = x.judged
   from (select p.story_id, max(p.judged) as judged from past p group by p.story_id) x where x.story_id = s.id`,
];

/** The night's work was handed in one after the other, between eleven hours and one hour ago. */
export const nightsTimes = [
  `create temp table night on commit drop as
   select j.id, j.task_id, j.product_id, case when j.status = 'RUNNING' then now() - interval '4 minutes' else now() - interval '1 hour'
     - (count(*) over () - row_number() over (order by j.updated_at, j.id)) * (interval '10 hours' / count(*) over ()) end as at,
     interval '1 minute' * (7 + row_number() over (order by j.updated_at, j.id) * 17 % 31) as took
   from public.agent_jobs j where j.attempt > 0 and j.updated_at > now() - interval '1 hour'`,
  `update public.job_attempts a set started_at = n.at - n.took - (n.took + interval '40 minutes') * (j.attempt - a.attempt),
     ended_at = case when a.ended_at is not null then n.at - (n.took + interval '40 minutes') * (j.attempt - a.attempt) end
   from night n join public.agent_jobs j on j.id = n.id where a.job_id = n.id`,
  "update public.job_diffs d set created_at = n.at from night n where n.id = d.job_id",
  "update public.job_reviews r set created_at = n.at - n.took - interval '5 minutes', handed_in_at = n.at - n.took - interval '40 minutes' from night n where n.id = r.job_id",
  "update public.job_comments c set created_at = n.at - n.took - interval '5 minutes' from night n where n.id = c.job_id",
  "update public.lessons set created_at = now() - interval '3 hours' where status = 'proposed'",
  "update public.usage_events e set created_at = n.at from night n where n.id = e.job_id",
  "update public.comments set created_at = now() - interval '50 minutes'",
  "update public.comment_mentions set created_at = now() - interval '50 minutes'",
  "update public.tasks t set updated_at = n.at from night n where n.task_id = t.id",
  "update public.task_status_changes c set changed_at = n.at from night n where n.task_id = c.task_id",
  `update public.task_status_changes c set changed_at = s.started_at from public.sprints s
   where s.status = 'ACTIVE' and s.product_id = c.product_id and c.changed_at > s.started_at and (c.from_status is null or c.to_status = 'TO_DO')`,
  "update public.agent_jobs set created_at = now() - interval '11 hours' where created_at > now() - interval '1 hour'",
  "update public.sprint_runs set created_at = now() - interval '11 hours', started_at = now() - interval '11 hours' where finished_at is null",
  "update public.product_members m set created_at = p.created_at, workers_decided_at = p.created_at, workers_allowed = true from public.products p where p.id = m.product_id",
  "update public.agent_questions q set created_at = n.at, expires_at = now() + interval '2 days' from night n where n.id = q.job_id",
  "update public.tasks_in_review i set since = n.at from night n where n.task_id = i.task_id",
  "update public.evidence e set created_at = n.at from night n where n.id = e.job_id",
  `update public.agent_jobs j set updated_at = n.at, claimed_at = n.at - n.took, started_at = n.at - n.took,
     finished_at = case when j.finished_at is not null then n.at end, lease_until = case when j.status in ('CLAIMED', 'RUNNING') then now() + interval '12 hours' end
   from night n where n.id = j.id`,
];

/** Agents have been in these folders before, all but those of the last paths. */
export const knownFolders = `insert into public.touched_paths (product_id, path, job_id, attempt)
  select distinct on (p.id, x.path) p.id, x.path, j.id, 1
  from jsonb_to_recordset($1::jsonb) x (product text, path text)
  join public.products p on p.code = x.product
  join public.agent_jobs j on j.product_id = p.id and j.status = 'DONE'
  order by p.id, x.path, j.id`;
