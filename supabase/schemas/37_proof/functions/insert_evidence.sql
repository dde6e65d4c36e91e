-- Why: the only writer of evidence. The criterion must be a current one of the story; an edited line counts as another
-- one. At a commit for which changes were requested, only a person's evidence proves anything, however often a command
-- is run again.
create function private.insert_evidence(
  p_story_id uuid, p_line jsonb, p_grade public.evidence_grade, p_place integer, p_job public.agent_jobs, p_observer text)
returns public.evidence
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_text text := private.require_criterion(p_story_id, p_line ->> 'criterion', p_place);
  v_evidence public.evidence;
begin
  if octet_length(p_line ->> 'excerpt') > 8192 then
    perform private.refuse_evidence(p_place, 'excerpt', 'An excerpt has at most 8 KiB: send the end that matters.');
  end if;
  perform private.require_link('url', p_line ->> 'url');
  perform private.require_evidence_file(p_story_id, p_line, 'file', p_place);
  perform private.require_evidence_file(p_story_id, p_line, 'base_file', p_place);
  if (select count(*) from public.evidence e where e.story_id = p_story_id and e.criterion = p_line ->> 'criterion') >= 500 then
    perform private.refuse_evidence(p_place, 'criterion', 'This criterion has 500 pieces of evidence, which is the most that is kept.');
  end if;

  insert into public.evidence (product_id, story_id, criterion, criterion_text, verdict, grade, kind, command, exit_code, base_exit_code,
    guards, passed_before, excerpt, url, file_id, base_file_id, head_sha, job_id, attempt, worker_id, user_id, observed_by, voided_by)
  select s.product_id, s.id, p_line ->> 'criterion', v_text,
    coalesce(p_line ->> 'verdict', 'pass')::public.evidence_verdict, p_grade,
    case when p_grade = 'person' then 'person'
      else coalesce(p_line ->> 'kind', case when p_line ->> 'command' is null then 'file' else 'command' end) end::public.evidence_kind,
    left(p_line ->> 'command', 2000), (p_line ->> 'exit_code')::integer, (p_line ->> 'base_exit_code')::integer,
    coalesce((p_line ->> 'guards')::boolean, false), p_grade <> 'person' and private.passed_before(p_story_id, p_line),
    p_line ->> 'excerpt', p_line ->> 'url', (p_line ->> 'file')::uuid, (p_line ->> 'base_file')::uuid, c.head_sha, p_job.id, p_job.attempt, p_job.worker_id, auth.uid(), p_observer,
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
$$;

comment on function private.insert_evidence is 'Adds one piece of evidence (docs/proof.md).';

-- Why: evidence shows files of its own product only.
create function private.require_evidence_file(p_story_id uuid, p_line jsonb, p_field text, p_place integer)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_line ->> p_field is not null and not exists (
    select from public.files f join public.stories s on s.product_id = f.product_id
    where s.id = p_story_id and f.id::text = p_line ->> p_field)
  then
    perform private.refuse_evidence(p_place, p_field, 'There is no such file in this product. Send it to POST /api/files first.');
  end if;
end;
$$;

comment on function private.require_evidence_file is 'PT422 for a file that is not in the product of the story.';

-- Why: a command that also passes without the work proves nothing. Two exceptions: it guards existing behavior, which a
-- definition of done may ask for, or it failed before an earlier part of the same work.
create function private.passed_before(p_story_id uuid, p_line jsonb)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
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
$$;

comment on function private.passed_before is 'Whether a command passes without the work as well, and proves nothing by it (docs/proof.md).';
