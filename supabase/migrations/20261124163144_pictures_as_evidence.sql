-- Why: a picture or recording that a command of the proof has made is shown as evidence of its criterion.
set local check_function_bodies = off;

ALTER TABLE "public"."evidence" ADD COLUMN "file_id" uuid;

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
    'excerpt', p_evidence.excerpt, 'url', p_evidence.url, 'file', (
      select json_build_object('id', f.id, 'url', '/api/files/' || f.id, 'name', f.name, 'type', f.type, 'size', f.size)
      from public.files f where f.id = p_evidence.file_id), 'head_sha', p_evidence.head_sha, 'job_id', p_evidence.job_id,
    'attempt', p_evidence.attempt, 'observed_by', p_evidence.observed_by, 'stale', p_stale, 'voided_by', p_evidence.voided_by,
    'created_at', p_evidence.created_at);
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
  if p_line ->> 'file' is not null and not exists (
    select from public.files f join public.stories s on s.product_id = f.product_id
    where s.id = p_story_id and f.id::text = p_line ->> 'file')
  then
    perform private.refuse_evidence(p_place, 'file', 'There is no such file in this product. Send it to POST /api/files first.');
  end if;
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, file_id, head_sha, job_id, attempt, worker_id, user_id, observed_by, voided_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, (p_line ->> 'base_exit_code')::integer,
    coalesce((p_line ->> 'guards')::boolean, false), p_grade <> 'person' and private.passed_before(p_story_id, p_line),
    p_line ->> 'excerpt', p_line ->> 'url', (p_line ->> 'file')::uuid, c.head_sha, p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer,
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

ALTER TABLE "public"."evidence" ADD CONSTRAINT "evidence_file_id_fkey" FOREIGN KEY (file_id) REFERENCES public.files(id) ON DELETE SET NULL;

CREATE INDEX evidence_file_id_idx ON public.evidence USING btree (file_id) WHERE (file_id IS NOT NULL);

COMMENT ON COLUMN "public"."evidence"."file_id" IS 'A picture or recording that shows it.';
