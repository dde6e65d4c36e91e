-- The proof of its task's story, or of each story of its batch. Definer: access is checked first (docs/proof.md).
create function operations.get_job_proof(p_job_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_job public.agent_jobs;
begin
  perform private.require_job(p_job_id);
  select j.* into v_job from public.agent_jobs j where j.id = p_job_id;
  return json_build_object('stories', (
    select coalesce(json_agg(json_build_object('id', s.id, 'code', s.code, 'title', s.title, 'proof', private.proof_json(s.id))
      order by s.sort_order, s.created_at), '[]')
    from public.stories s
    where s.id in (
      select t.story_id from public.tasks t where t.id = v_job.task_id
      union all
      select t.story_id from public.task_executions e join public.tasks t on t.id = e.task_id
      where v_job.kind = 'SPRINT_IMPLEMENTATION' and e.sprint_run_id = v_job.sprint_run_id)));
end;
$$;
grant execute on function operations.get_job_proof to authenticated;

-- Definer: access is checked first (docs/proof.md).
create function operations.get_proof(p_story_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_access('story', p_story_id);
  return private.proof_json(p_story_id);
end;
$$;
grant execute on function operations.get_proof to authenticated;

-- The one definition of what must be proven, so that gate, REST API and pages agree. A line is identified by the
-- hash of its text: editing a line loses only that line's proof, moving it loses none (docs/proof.md).
create function private.criteria_of(p_acceptance_criteria text, p_definition_of_done text)
returns table (place integer, id text, kind text, text text) language plpgsql immutable set search_path = '' as $$
begin
  return query
  select row_number() over (order by min(l.place))::integer,
    private.criterion_id(l.line), min(l.kind), l.line
  from (
    select a.place, 'acceptance' as kind, a.line
    from private.list_items(p_acceptance_criteria) with ordinality as a (line, place)
    union all
    select 1000000 + d.place, 'definition_of_done', d.line
    from private.list_items(p_definition_of_done) with ordinality as d (line, place)
  ) l
  group by l.line;
end;
$$;

-- Criteria are the list items of a text (bullets, numbers, check boxes; indented lines continue their item), or
-- the whole text if it has no list. Code blocks contain no items (docs/proof.md).
create function private.list_items(p_text text) returns setof text language plpgsql immutable set search_path = '' as $$
declare
  v_line text;
  v_item text;
  v_items text[] := '{}';
  v_fenced boolean := false;
begin
  foreach v_line in array string_to_array(replace(coalesce(p_text, ''), E'\r', ''), E'\n') loop
    if v_line ~ '^\s*(```|~~~)' then
      v_fenced := not v_fenced;
      continue;
    end if;
    if not v_fenced and v_line ~ '^\s*([-*+•]|[0-9]{1,3}[.)])\s+\S' then
      v_items := v_items || v_item;
      v_item := regexp_replace(v_line, '^\s*([-*+•]|[0-9]{1,3}[.)])\s+(\[[ xX]\]\s+)?(#[0-9]+\s+)?', '');
    elsif not v_fenced and v_item is not null and v_line ~ '^\s+\S' then
      v_item := v_item || ' ' || v_line;
    elsif not v_fenced then
      v_items := v_items || v_item;
      v_item := null;
    end if;
  end loop;
  v_items := v_items || v_item;

  v_items := array(
    select btrim(regexp_replace(i, '\s+', ' ', 'g')) from unnest(v_items) with ordinality as u (i, place)
    where i ~ '[^\s*_-]' order by place);
  if v_items = '{}' and p_text ~ '\S' then
    v_items := array[btrim(regexp_replace(p_text, '\s+', ' ', 'g'))];
  end if;
  return query select unnest(v_items);
end;
$$;

-- A claim includes the criteria and their state. A verifier gets no commands of those who did the work (docs/proof.md).
create function private.criteria_payload(p_job public.agent_jobs)
returns jsonb language plpgsql stable set search_path = '' as $$
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
$$;

-- A criterion is identified by its text, so that it has the same id in every installation (docs/proof.md).
create function private.criterion_id(p_text text) returns text language plpgsql immutable set search_path = '' as $$
begin
  return left(encode(sha256(convert_to(btrim(regexp_replace(p_text, '\s+', ' ', 'g')), 'UTF8')), 'hex'), 12);
end;
$$;
grant execute on function private.criterion_id to service_role;

-- Some calls are for people only, and a token may be an agent's (specification: Authentication 1).
create function private.is_token() returns boolean language plpgsql stable set search_path = '' as $$
begin
  return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'token_id' is not null;
end;
$$;
grant execute on function private.is_token to authenticated, service_role;

-- Criteria not proven well enough for a gate, and what is wrong. Null when none is missing (docs/proof.md).
create function private.missing_proof(p_story_ids uuid[], p_grade public.evidence_grade)
returns jsonb language plpgsql stable set search_path = '' as $$
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
$$;

-- A card shows 3/4 where proof is required or has been given; elsewhere null, and nothing is counted. One element
-- per criterion: the task whose job proved it, the story itself where no task's job did, null where nothing does.
-- Definer: boards run as their viewer, but users may not call the functions that count (docs/proof.md).
create function private.proven_by(p_story_id uuid)
returns uuid[] language plpgsql stable security definer set search_path = '' as $$
begin
  if not exists (
    select from public.stories s join public.products p on p.id = s.product_id
    where s.id = p_story_id and (p.done_requires <> 'none' or exists (select from public.evidence e where e.story_id = s.id))
  ) then
    return null;
  end if;
  return (
    select array_agg(case when c.state in ('proven', 'waived') then coalesce(j.task_id, p_story_id) end)
    from private.story_proof(p_story_id) c
    left join public.evidence e on e.id = c.evidence_id and c.state = 'proven'
    left join public.agent_jobs j on j.id = e.job_id);
end;
$$;
grant execute on function private.proven_by to authenticated;

-- The gate "worker", checked before a task is done: what its story still lacks. Null when nothing is missing, when
-- the story has other unfinished tasks, and in products with another requirement or none (docs/proof.md).
create function private.proof_gap(p_task_id uuid) returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select private.missing_proof(array[t.story_id], 'worker')
    from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires = 'worker' and private.finishes_story(t.id)
  );
end;
$$;

-- The proof of a story for REST API and pages: its criteria with state, grade and evidence, newest first. `former`
-- has the evidence of lines that were edited since: waived lines first, as waivers are shown forever, then the newest
-- (docs/proof.md).
create function private.proof_json(p_story_id uuid) returns json language plpgsql stable set search_path = '' as $$
declare
  v_head public.story_heads;
begin
  select h.* into v_head from public.story_heads h where h.story_id = p_story_id;
  return (
    select json_build_object('story_id', s.id, 'done_requires', p.done_requires, 'head_sha', v_head.head_sha,
      'criteria', (
        select coalesce(json_agg(json_build_object('id', c.id, 'kind', c.kind, 'text', c.text, 'state', c.state, 'grade', c.grade,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = c.id),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, not private.is_fresh(y.e, v_head)) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = c.id order by e.seq desc limit 20) y)
        ) order by c.place), '[]')
        from private.story_proof(s.id) c),
      'former', (
        select coalesce(json_agg(json_build_object('id', f.criterion, 'text', f.criterion_text,
          'waiver', (select private.waiver_json(w) from public.waivers w where w.story_id = s.id and w.criterion = f.criterion),
          'evidence', (
            select coalesce(json_agg(private.evidence_json(y.e, true) order by (y.e).seq desc), '[]')
            from (select e from public.evidence e where e.story_id = s.id and e.criterion = f.criterion order by e.seq desc limit 5) y)
        )), '[]')
        from (
          select o.criterion, min(o.criterion_text) as criterion_text
          from (
            select e.criterion, e.criterion_text, false as waived, e.created_at from public.evidence e where e.story_id = s.id
            union all
            select w.criterion, w.criterion_text, true, w.created_at from public.waivers w where w.story_id = s.id
          ) o
          where o.criterion not in (select c.id from private.criteria_of(s.acceptance_criteria, p.definition_of_done) c)
          group by o.criterion
          order by bool_or(o.waived) desc, max(o.created_at) desc
          limit 50
        ) f))
    from public.stories s
    join public.products p on p.id = s.product_id
    where s.id = p_story_id
  );
end;
$$;

-- The state of each criterion of a story. Among evidence that is neither stale nor voided, and whose command did
-- not pass without the work, the newest of the highest grade decides; "unverifiable" proves nothing (docs/proof.md).
create function private.story_proof(p_story_id uuid)
returns setof private.proven_criterion language plpgsql stable set search_path = '' as $$
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
      -- As in is_fresh, without a call for each line of evidence.
      and (v_head.story_id is null or e.head_sha = v_head.head_sha or e.job_id = v_head.job_id and e.attempt = v_head.attempt)
    order by e.grade desc, e.seq desc limit 1
  ) d on true
  where s.id = p_story_id
  order by c.place;
end;
$$;

-- A waiver is shown forever, with who, when and why (docs/proof.md).
create function private.waiver_json(p_waiver public.waivers)
returns json language plpgsql stable set search_path = '' as $$
begin
  if p_waiver.id is null then
    return null;
  end if;
  return json_build_object('reason', p_waiver.reason, 'waived_by', p_waiver.waived_by, 'created_at', p_waiver.created_at);
end;
$$;
