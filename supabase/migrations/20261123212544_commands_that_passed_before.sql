-- Why: a command that passes without the work as well proves nothing of it. Evidence that is there keeps what it proved: nobody ran
-- it on a base.
set local check_function_bodies = off;

ALTER TABLE "public"."evidence" ADD COLUMN "base_exit_code" integer;

ALTER TABLE "public"."evidence" ADD COLUMN "guards" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."evidence" ADD COLUMN "passed_before" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.criteria_payload(p_job public.agent_jobs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'story_id', c.story_id, 'kind', c.kind, 'text', c.text, 'state', c.state,
      'grade', c.grade, 'command', case when p_job.phase = 'implement' then (
        select e.command from public.evidence e
        where e.story_id = c.story_id and e.criterion = c.id and e.command is not null and e.verdict = 'pass' and not e.passed_before
        order by e.seq desc limit 1) end) order by s.sort_order, s.created_at, c.place), '[]')
    from public.stories s
    cross join lateral private.story_proof(s.id) c
    where s.id in (
      select t.story_id from public.tasks t where t.id = p_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where p_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = p_job.sprint_run_id
        and (p_job.phase <> 'verify' or t.status = 'REVIEW')));
end;
$function$;

CREATE OR REPLACE FUNCTION private.evidence_json(p_evidence public.evidence, p_stale boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_evidence.id, 'criterion', p_evidence.criterion, 'verdict', p_evidence.verdict,
    'grade', p_evidence.grade, 'kind', p_evidence.kind, 'command', p_evidence.command, 'exit_code', p_evidence.exit_code,
    'base_exit_code', p_evidence.base_exit_code, 'guards', p_evidence.guards, 'passed_before', p_evidence.passed_before,
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'voided_by', p_evidence.voided_by,
    'created_at', p_evidence.created_at);
end;
$function$;

CREATE OR REPLACE FUNCTION private.export_evidence(p_story_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'criterion', e.criterion_text, 'verdict', e.verdict, 'grade', e.grade, 'kind', e.kind, 'command', e.command,
      'exit_code', e.exit_code, 'base_exit_code', e.base_exit_code, 'guards', e.guards, 'passed_before', e.passed_before,
      'excerpt', e.excerpt, 'url', e.url, 'head_sha', e.head_sha, 'observed_by', e.observed_by,
      'voided_by', e.voided_by,
      'created_at', private.export_time(e.created_at)) order by e.seq), '[]')
    from public.evidence e
    where e.story_id = p_story_id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.import_proof(p_product_id uuid, p_stories jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.story_heads (story_id, head_sha, attempt)
  select (s ->> 'id')::uuid, s ->> 'head_sha', 0
  from jsonb_array_elements(p_stories) s
  where s ->> 'head_sha' is not null;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, head_sha, observed_by, voided_by, created_at)
  select p_product_id, (e.story ->> 'id')::uuid, private.criterion_id(l.line ->> 'criterion'), l.line ->> 'criterion',
    (l.line ->> 'verdict')::public.evidence_verdict, (l.line ->> 'grade')::public.evidence_grade,
    (l.line ->> 'kind')::public.evidence_kind, l.line ->> 'command', (l.line ->> 'exit_code')::integer,
    (l.line ->> 'base_exit_code')::integer, coalesce((l.line ->> 'guards')::boolean, false),
    coalesce((l.line ->> 'passed_before')::boolean, false), l.line ->> 'excerpt', l.line ->> 'url', l.line ->> 'head_sha', l.line ->> 'observed_by', l.line ->> 'voided_by',
    coalesce((l.line ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) with ordinality e (story, place)
  cross join lateral jsonb_array_elements(e.story -> 'evidence') with ordinality l (line, place)
  order by e.place, l.place;

  insert into public.waivers (product_id, story_id, criterion, criterion_text, reason, waived_by, created_at)
  select p_product_id, (s ->> 'id')::uuid, private.criterion_id(w ->> 'criterion'), w ->> 'criterion', w ->> 'reason',
    w ->> 'waived_by', coalesce((w ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(p_stories) s
  cross join lateral jsonb_array_elements(s -> 'waivers') w
  on conflict (story_id, criterion) do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.insert_evidence(p_story_id uuid, p_line jsonb, p_grade public.evidence_grade, p_place integer, p_job public.agent_jobs, p_observer text)
 RETURNS public.evidence
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text := private.require_criterion(p_story_id, p_line ->> 'criterion', p_place);
  v_evidence public.evidence;
begin
  if octet_length(p_line ->> 'excerpt') > 8192 then
    perform private.refuse_evidence(p_place, 'excerpt', 'An excerpt has at most 8 KiB: send the end that matters.');
  end if;
  perform private.require_link('url', p_line ->> 'url');
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, head_sha, job_id, attempt, worker_id, user_id, observed_by, voided_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, (p_line ->> 'base_exit_code')::integer,
    coalesce((p_line ->> 'guards')::boolean, false), p_grade <> 'person' and private.passed_before(p_story_id, p_line),
    p_line ->> 'excerpt', p_line ->> 'url', c.head_sha, p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer,
    case when p_grade <> 'person' and coalesce(p_line ->> 'verdict', 'pass') = 'pass' then (
      select r.author from public.job_reviews r
      where r.product_id = s.product_id and r.verdict = 'request_changes' and r.head_sha = c.head_sha
      order by r.created_at desc limit 1) end
  from public.stories s
  left join public.story_heads h on h.story_id = s.id
  cross join lateral (select coalesce(left(p_line ->> 'head_sha', 64), p_job.head_sha, h.head_sha) as head_sha) c
  where s.id = p_story_id
  returning * into v_evidence;
  return v_evidence;
end;
$function$;

CREATE OR REPLACE FUNCTION private.missing_proof(p_story_ids uuid[], p_grade public.evidence_grade)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', c.id, 'story_id', c.story_id, 'message', format('%s: %s', left(c.text, 200),
      case c.state
        when 'failed' then 'its last check failed.'
        when 'stale' then format('it was proven for an earlier commit, and the work has moved on to %s.', left(h.head_sha, 12))
        when 'proven' then format('it is proven as "%s", and "%s" is needed.', c.grade, p_grade)
        else coalesce(
          (select format('%s has requested changes of the work that it was seen in: prove it again.', e.voided_by)
           from public.evidence e where e.story_id = c.story_id and e.criterion = c.id and e.voided_by is not null
           order by e.seq desc limit 1),
          (select 'its command passes without this work as well, so it proves nothing: name one that fails before the work and passes after it.'
           from public.evidence e where e.story_id = c.story_id and e.criterion = c.id and e.passed_before limit 1),
          'nothing proves it yet.') end)) order by s.sort_order, s.created_at, c.place)
    from public.stories s
    left join public.story_heads h on h.story_id = s.id
    cross join lateral private.story_proof(s.id) c
    where s.id = any (p_story_ids) and c.state <> 'waived' and not (c.state = 'proven' and c.grade >= p_grade)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.passed_before(p_story_id uuid, p_line jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(p_line ->> 'verdict', 'pass') = 'pass' and coalesce((p_line ->> 'base_exit_code')::integer = 0, false)
    and not (coalesce((p_line ->> 'guards')::boolean, false) and exists (
      select from public.stories s
      join public.products p on p.id = s.product_id
      cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
      where s.id = p_story_id and c.id = p_line ->> 'criterion' and c.kind = 'definition_of_done'))
    and not exists (
      select from public.evidence e
      where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion' and e.command = left(p_line ->> 'command', 2000)
        and e.verdict = 'pass' and e.base_exit_code <> 0);
end;
$function$;

CREATE OR REPLACE FUNCTION private.story_proof(p_story_id uuid)
 RETURNS SETOF private.proven_criterion
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return query
  select s.id, c.place, c.id, c.kind, c.text,
    case when w.id is not null then 'waived'
      when d.verdict = 'pass' then 'proven'
      when d.verdict = 'fail' then 'failed'
      when d.id is null and exists (
        select from public.evidence o where o.story_id = s.id and o.criterion = c.id and o.verdict = 'pass' and o.voided_by is null
          and not o.passed_before) then 'stale'
      else 'unproven' end,
    d.grade, d.id
  from public.stories s
  join public.products p on p.id = s.product_id
  cross join lateral private.criteria_of(s.acceptance_criteria, p.definition_of_done) c
  left join public.waivers w on w.story_id = s.id and w.criterion = c.id
  left join lateral (
    select e.id, e.verdict, e.grade from public.evidence e
    where e.story_id = s.id and e.criterion = c.id and e.voided_by is null and not e.passed_before
      and private.is_fresh(e, v_head)
    order by e.grade desc, e.seq desc limit 1
  ) d on true
  where s.id = p_story_id
  order by c.place;
end;
$function$;

COMMENT ON COLUMN "public"."evidence"."base_exit_code" IS 'How the same command ended without the work; null where it was not run there.';

COMMENT ON COLUMN "public"."evidence"."guards" IS 'The command keeps what worked before from breaking, such as a whole test suite.';

COMMENT ON COLUMN "public"."evidence"."passed_before" IS 'The command passes without the work as well: it proves nothing.';

COMMENT ON FUNCTION "private"."passed_before"(uuid, jsonb) IS 'Whether a command passes without the work as well, and proves nothing by it (docs/proof.md).';

REVOKE ALL ON FUNCTION "private"."passed_before"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."passed_before"(uuid, jsonb) TO "postgres";
