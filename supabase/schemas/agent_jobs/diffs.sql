-- The changes of an attempt, file by file, for review. One row per attempt, replaced when the attempt sends again.
-- Written by functions only; private.make_room_for_diffs and the cleanup limit what a product keeps.
create table public.job_diffs (
  job_id uuid not null,
  attempt integer not null,
  product_id uuid not null references public.products (id) on delete cascade,
  base_sha text not null constraint job_diffs_base_sha_length check (char_length(base_sha) <= 64),
  head_sha text not null constraint job_diffs_head_sha_length check (char_length(head_sha) <= 64),
  additions integer not null constraint job_diffs_additions_positive check (additions >= 0),
  deletions integer not null constraint job_diffs_deletions_positive check (deletions >= 0),
  files jsonb not null constraint job_diffs_files_list check (jsonb_typeof(files) = 'array'),
  bytes integer not null constraint job_diffs_bytes_positive check (bytes >= 0),
  created_at timestamptz not null default private.now(),
  marks jsonb not null default '{}' constraint job_diffs_marks_form check (jsonb_typeof(marks) = 'object'),
  primary key (job_id, attempt),
  constraint job_diffs_attempt_fkey foreign key (job_id, attempt)
    references public.job_attempts (job_id, attempt) on delete cascade
);

comment on table public.job_diffs is 'Changes of each attempt of a job (docs/review.md).';
comment on column public.job_diffs.marks is
  'Facts that ask for a careful look, by private.review_marks: of each its files with the first hunk, or none where it is about the whole.';
comment on column public.job_diffs.files is
  'One object a file: path, old_path, status, additions, deletions, binary, folded, truncated, and patch as git writes it.';
create index job_diffs_product_id_idx on public.job_diffs (product_id, created_at);

alter table public.job_diffs enable row level security;

-- Read through operations.get_job_diff, which checks access once per diff.

-- The changes of an attempt, by default of the newest that sent any. Null when none has. `attempts` lists those
-- with a diff, so that two can be compared. p_index leaves only one file, p_paths only these; p_most bounds what the patches
-- hold. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.get_job_diff(p_job_id uuid, p_attempt integer default null, p_index integer default null,
  p_paths jsonb default null, p_most integer default null)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_job_reader(p_job_id);
  return (
    select json_build_object('job_id', d.job_id, 'attempt', d.attempt, 'base_sha', d.base_sha, 'head_sha', d.head_sha,
      'additions', d.additions, 'deletions', d.deletions, 'created_at', d.created_at,
      'attempts', (select json_agg(x.attempt order by x.attempt) from public.job_diffs x where x.job_id = p_job_id),
      'files', case
        when p_index is not null then jsonb_path_query_array(d.files, '$[$n]', jsonb_build_object('n', p_index))
        when p_most is null then d.files
        else (select r.files from private.read_diffs(array[d.job_id], array[d.attempt], p_paths, p_most) r) end)
    from public.job_diffs d
    where d.job_id = p_job_id and (p_attempt is null or d.attempt = p_attempt)
    order by d.attempt desc
    limit 1);
end;
$$;
grant execute on function operations.get_job_diff to authenticated;

-- The files of diffs, in their order, with patches as far as p_most characters go: the smallest files first, each in all diffs
-- or in none. Of the others `left_out` is said in place of the patch. p_paths leaves patches to these alone, with what they were
-- called before. Diffs have null where the names of their files, with those of earlier diffs, are more than p_most alone.
create function private.read_diffs(p_job_ids uuid[], p_attempts integer[], p_paths jsonb, p_most integer)
returns table (job_id uuid, attempt integer, files jsonb) language plpgsql stable set search_path = '' as $$
begin
  if p_paths is null and p_most >= (
    select sum(d.bytes) from unnest(p_job_ids, p_attempts) k (job_id, attempt) join public.job_diffs d using (job_id, attempt)
  ) then
    return query
      select d.job_id, d.attempt, d.files from unnest(p_job_ids, p_attempts) k (job_id, attempt) join public.job_diffs d using (job_id, attempt);
    return;
  end if;
  return query
    with recursive listed as materialized (
      select k.place as of, f.file - 'patch' as file, f.file ->> 'path' as path, coalesce(length(f.file ->> 'patch'), 0) as size
      from unnest(p_job_ids, p_attempts) with ordinality k (job_id, attempt, place)
      join public.job_diffs d using (job_id, attempt)
      cross join lateral jsonb_array_elements(d.files) f (file)
    ), named as (
      select n as path from jsonb_array_elements_text(p_paths) n
      union select l.file ->> 'old_path' from named n join listed l using (path) where l.file ->> 'old_path' is not null
    ), chosen as materialized (
      select c.path
      from (
        select l.path, sum(sum(l.size)) over (order by sum(l.size), l.path) as until from listed l
        where p_paths is null or l.path in (select n.path from named n) group by l.path
      ) c
      where c.until <= p_most
    ), kept as materialized (
      select k.of, k.of = 1 or sum(k.size) over (order by k.of) <= p_most as is_kept from (
        select l.of, sum(length(l.file::text)) as size from listed l group by l.of) k
    )
    select k.job_id, k.attempt, case when o.is_kept is not false then (
      select coalesce(jsonb_agg(case
        when coalesce(f.file ->> 'patch', '') = '' then f.file - 'patch'
        when c.path is null then (f.file - 'patch') || '{"left_out": true}'
        else f.file end order by f.place), '[]')
      from jsonb_array_elements(d.files) with ordinality f (file, place)
      left join chosen c on c.path = f.file ->> 'path') end
    from unnest(p_job_ids, p_attempts) with ordinality k (job_id, attempt, place)
    join public.job_diffs d using (job_id, attempt)
    left join kept o on o.of = k.place;
end;
$$;

-- Stores an attempt's changes, sent by its worker. Sending again replaces them; the last attempt to hold the job
-- may still send after its end. The job stores the totals, so that lists and cards need no second look-up, and its
-- change is the event that tells open pages. A conversation about an idea changes no files.
-- Refusals: 404, 403, 409 for a lost attempt, 422, 429. Definer: diffs are written by functions only (docs/review.md).
create function operations.save_job_diff(p_job_id uuid, p_attempt integer, p_diff jsonb)
returns json language plpgsql volatile security definer set search_path = '' as $$
declare
  v_files jsonb := p_diff -> 'files';
  v_job public.agent_jobs := private.lock_job(p_job_id, true);
  v_state text;
  v_additions bigint;
  v_deletions bigint;
  v_marks jsonb;
begin
  if v_job.kind = 'PLAN_CHAT' then
    perform private.refuse(422, 'A conversation about an idea changes no files. Report it without a diff.');
  end if;
  v_state := private.require_known_attempt(v_job, p_attempt);
  perform private.take_rate_limit('job_diff', p_job_id::text);
  select coalesce(sum((f ->> 'additions')::bigint), 0), coalesce(sum((f ->> 'deletions')::bigint), 0)
  into v_additions, v_deletions
  from jsonb_array_elements(v_files) f;
  if v_additions > 2147483647 or v_deletions > 2147483647 then
    perform private.refuse(422, 'This is too many lines to review. Send the changes without their patches.');
  end if;

  begin
    select coalesce(jsonb_object_agg(m.mark, m.entries), '{}') into v_marks
    from private.review_marks(v_job, v_files, p_diff -> 'review_marks') m;
  exception when others or query_canceled then
    -- A person gets the change to judge in any case, and a careful look is asked for.
    v_marks := '{"secret": []}';
    raise warning 'The marks of a change could not be told: %', sqlerrm;
  end;
  insert into public.job_diffs as d
    (job_id, attempt, product_id, base_sha, head_sha, additions, deletions, files, bytes, marks, created_at)
  values (p_job_id, p_attempt, v_job.product_id, p_diff ->> 'base_sha', p_diff ->> 'head_sha', v_additions, v_deletions,
    v_files, octet_length(v_files::text), v_marks, private.now())
  on conflict (job_id, attempt) do update
  set base_sha = excluded.base_sha, head_sha = excluded.head_sha, additions = excluded.additions,
      deletions = excluded.deletions, files = excluded.files, bytes = excluded.bytes, marks = excluded.marks,
      created_at = excluded.created_at;
  insert into public.touched_paths (product_id, path, job_id, attempt)
  select distinct v_job.product_id, f ->> 'path', p_job_id, p_attempt from jsonb_array_elements(v_files) f
  -- Enough for any repository, and an end for whoever sends other paths each time; an index holds no longer ones.
  where octet_length(f ->> 'path') <= 2000
    and (select count(*) from (select from public.touched_paths x where x.product_id = v_job.product_id limit 200000) x) < 200000
  on conflict do nothing;
  perform private.make_room_for_diffs(v_job.product_id);

  update public.agent_jobs j
  set additions = v_additions, deletions = v_deletions,
      lease_until = case when v_state = 'held' then private.now() + private.lease() else j.lease_until end
  where j.id = p_job_id;
  return 'null'::json;
end;
$$;
grant execute on function operations.save_job_diff to authenticated;
comment on function operations.save_job_diff is 'scope work';

-- A product keeps at most 256 MiB of diffs. The excess goes, oldest first: diffs of superseded attempts are deleted,
-- and when none are left, the newest diffs of old jobs keep their list of files and lose the lines (docs/review.md).
create function private.make_room_for_diffs(p_product_id uuid, p_limit bigint default 268435456)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_over bigint;
begin
  select sum(d.bytes) - p_limit into v_over from public.job_diffs d where d.product_id = p_product_id;
  if v_over is null or v_over <= 0 then
    return;
  end if;

  with followed as (
    select d.job_id, d.attempt, d.bytes, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id
      and exists (select from public.job_diffs n where n.job_id = d.job_id and n.attempt > d.attempt)
  ),
  gone as (
    delete from public.job_diffs d using followed f
    where d.job_id = f.job_id and d.attempt = f.attempt and f.before < v_over
    returning d.bytes
  )
  select v_over - coalesce(sum(g.bytes), 0) into v_over from gone g;
  if v_over <= 0 then
    return;
  end if;

  with oldest as (
    select d.job_id, d.attempt, sum(d.bytes) over (order by d.created_at, d.job_id, d.attempt) - d.bytes as before
    from public.job_diffs d
    where d.product_id = p_product_id and d.bytes > 0
  )
  update public.job_diffs d
  set bytes = 0,
      files = (
        select coalesce(jsonb_agg(f.file - 'patch' || '{"truncated": true}' order by f.position), '[]')
        from jsonb_array_elements(d.files) with ordinality f (file, position))
  from oldest o
  where d.job_id = o.job_id and d.attempt = o.attempt and o.before < v_over;
end;
$$;
