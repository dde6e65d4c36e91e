-- Facts about a change that say where a careful look pays, never a judgment, each with the files that it is about, at
-- most a hundred, and the first hunk in them. Read from the diff, the plan and what other jobs of the product touched, once
-- when the diff arrives. The product's own patterns replace the default of a mark; p_more, which a worker read on the main
-- branch, only adds to them (docs/review.md).
create function private.review_marks(p_job public.agent_jobs, p_files jsonb, p_more jsonb)
returns table (mark text, entries jsonb) language plpgsql stable set search_path = '' as $$
declare
  v_own jsonb := (select p.review_marks from public.products p where p.id = p_job.product_id);
begin
  return query
    with found as (
      select 'secret' as mark, k.path, k.hunk from private.adding_keys(p_files) k
      union all select t.mark, t.path, t.hunk from private.changed_tests(p_files) t
      union all select s.mark, s.path, s.hunk from private.switched_off(p_files) s
      union all select m.name, x.path, x.hunk
      from (values ('ci', 'ci'), ('migration', 'migration'), ('auth', 'secrets_or_auth'), ('dependencies', 'dependencies')) m (name, key)
      cross join private.touching(p_files, v_own -> m.key, p_more -> m.key, m.name) x
      union all select 'no_test_changed', null, null where private.is_untested(p_files)
      union all select 'large', null, null
      where 400 < (
        select sum((f ->> 'additions')::bigint + (f ->> 'deletions')::bigint)
        from jsonb_array_elements(p_files) f where not coalesce((f ->> 'folded')::boolean, false))
      union all select 'outside_plan', p, null from unnest(private.outside_plan(coalesce(p_job.plan_snapshot, ''), p_files)) p
      union all select 'first_time', p, null from unnest(private.first_time(p_job, p_files)) p
    ), files as (
      select f.mark, f.path, min(f.hunk) as hunk, row_number() over (partition by f.mark order by f.path) as place
      from found f group by f.mark, f.path
    )
    select f.mark, coalesce(
      jsonb_agg(jsonb_build_object('path', f.path, 'hunk', f.hunk) order by f.place) filter (where f.path is not null and f.place <= 100), '[]')
    from files f group by f.mark;
end;
$$;

-- Marks of a job's lines, and of its report and proof. A story is proven with its last task: others miss nothing.
create function private.marks_of(p_job public.agent_jobs, p_marks jsonb)
returns table (mark text, path text, hunk integer) language plpgsql stable set search_path = '' as $$
begin
  return query
    select m.key, e ->> 'path', (e ->> 'hunk')::integer
    from jsonb_each(coalesce(p_marks, '{}')) m left join lateral jsonb_array_elements(m.value) e on true
    union all select 'unsure', null, null where p_job.verify_result in ('PARTIAL', 'DIVERGENT')
    union all select 'unproven', null, null
    from public.tasks t
    where t.id = p_job.task_id and private.finishes_story(t.id) and exists (
      select from private.story_proof(t.story_id) c where c.state not in ('proven', 'waived'));
end;
$$;

-- Each with its files and their first hunks. Refusals: 404, 403. Definer: access is checked first (docs/review.md).
create function operations.get_job_marks(p_job_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_job public.agent_jobs := private.require_job_reader(p_job_id);
begin
  return json_build_object('marks', (
    select coalesce(json_agg(json_build_object('mark', m.mark, 'weight', private.mark_weight(m.mark), 'path', m.path, 'hunk', m.hunk)
      order by private.mark_place(m.mark), m.path), '[]')
    from private.marks_of(v_job, (
      select d.marks from public.job_diffs d where d.job_id = p_job_id order by d.attempt desc limit 1)) m));
end;
$$;
grant execute on function operations.get_job_marks to authenticated;

-- The order of marks, the dangerous ones first.
create function private.mark_place(p_mark text)
returns integer language sql immutable set search_path = '' as $$
  select array_position(array['secret', 'deleted_tests', 'weakened_tests', 'ci', 'migration', 'auth', 'dependencies', 'unproven', 'unsure',
    'no_test_changed', 'large', 'outside_plan', 'first_time'], p_mark);
$$;

-- How dangerous what a mark is about can be.
create function private.mark_weight(p_mark text)
returns text language sql immutable set search_path = '' as $$
  select case when private.mark_place(p_mark) <= 4 then 'red' when private.mark_place(p_mark) <= 9 then 'amber' else 'gray' end;
$$;

-- Names of the marks in an entry of the queue, of all attempts that are judged together, and up to four paths of each.
create function private.marks_json(p_job_ids uuid[])
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('marks', coalesce(jsonb_agg(m.mark order by private.mark_place(m.mark)), '[]'),
      'mark_paths', coalesce(jsonb_object_agg(m.mark, m.paths) filter (where m.paths is not null), '{}'))
    from (
      select m.mark, (array_agg(m.path order by m.path) filter (where m.path is not null))[1:4] as paths
      from public.agent_jobs j
      left join public.job_diffs d on d.job_id = j.id and d.attempt = j.attempt
      cross join lateral private.marks_of(j, d.marks) m
      where j.id = any (p_job_ids) group by m.mark
    ) m);
end;
$$;

-- An entry's marks in the words of 0.4.0, which refuses others.
create function private.former_marks(p_entry jsonb)
returns jsonb language sql immutable set search_path = '' as $$
  select p_entry || (
    select jsonb_build_object('marks', coalesce(jsonb_agg(distinct m.former), '[]'),
      'mark_paths', coalesce(jsonb_object_agg(m.former, m.paths) filter (where m.paths is not null), '{}'))
    from (
      select case when m in ('secret', 'auth') then 'secrets_or_auth' else m end as former, p_entry -> 'mark_paths' -> m as paths
      from jsonb_array_elements_text(p_entry -> 'marks') m
    ) m
    where m.former in ('no_test_changed', 'migration', 'dependencies', 'ci', 'secrets_or_auth', 'deleted_tests', 'large', 'outside_plan', 'first_time'));
$$;

-- The files that a plan does not name, where it names files. A folder or a pattern names all below it, and TaskList,
-- README or task-list a file of that name. Tests and generated files follow from others: plans seldom name them.
create function private.outside_plan(p_plan text, p_files jsonb)
returns text[] language plpgsql immutable set search_path = '' as $$
declare
  v_places text[] := private.named_places(p_plan);
  v_patterns text := private.patterns_regex(to_jsonb(v_places));
  v_plan text := left(p_plan, 20000);
  v_outside text[];
  v_is_named boolean := private.names_files(v_places);
  v_file record;
begin
  if cardinality(v_places) not between 1 and 100 then
    return null;
  end if;
  -- A place is whole words of a path, at any depth.
  v_patterns := '/' || substr(v_patterns, 2, length(v_patterns) - 2) || '/';
  for v_file in
    select f ->> 'path' as path, lower(concat('/', left(f ->> 'path', 300), '/ /', left(f ->> 'old_path', 300), '/ /',
      regexp_replace(left(f ->> 'path', 300), '\.[^./]*$', ''), '/')) as words, regexp_replace(f ->> 'path', '^.*/|\.[^/]*$', '', 'g') as name
    from jsonb_array_elements(p_files) f
    where not private.is_test_path(f ->> 'path') and not coalesce((f ->> 'folded')::boolean, false)
  loop
    if v_file.words ~ v_patterns then
      v_is_named := v_is_named or not private.is_prose_path(v_file.path);
    elsif not (v_file.name ~ '^.{4}' and v_file.name ~ '[-_A-Z]' and strpos(v_plan, v_file.name) > 0) then
      v_outside := v_outside || v_file.path;
    end if;
  end loop;
  return case when v_is_named then v_outside end;
end;
$$;

-- What may be a path in a plan: words with a slash, a dot or an asterisk, without what is around them, such as
-- backticks, brackets of a link, bold type or the number of a line. Who names more than 100 places names none.
create function private.named_places(p_plan text)
returns text[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct rtrim(x.place, '/')
    from regexp_split_to_table(left(lower(p_plan), 100000), '\]\(|[\s`"'',;|]+') w
    cross join lateral (
      select regexp_replace(ltrim(rtrim(w, ')]}>.:!?'), '([{<'), '^\*\*(?=[^/.*])|(?<=[^/*])\*\*$', '', 'g') as word
    ) b
    cross join lateral (
      select regexp_replace(regexp_replace(rtrim(b.word, ':.'), '(:\d+([-:]\d+)*|#l\d+(-l?\d+)?)$', ''), '^([.@~]?/)+', '') as place
    ) x
    where w ~ '[/.*]' and w !~ '://' and x.place ~ '[/.*]' and length(x.place) between 3 and 150
      and x.place !~ '^[*./]+$|(\*[^*]+){4}'
    limit 101);
end;
$$;

-- Whether a plan names files of code: not "e.g.", "Node.js", "and/or" or "example.com", nor only tests or documents.
create function private.names_files(p_places text[])
returns boolean language sql immutable set search_path = '' as $$
  select exists (
    select from unnest(p_places) p
    where p ~ '[a-z0-9_)\]-]{2}\.(tsx?|[mc]?[jt]s|jsx|py|go|rs|rb|java|kt|swift|cs|cc?|cpp|hp?p?|vue|svelte|php|sql|s?css|html)$'
      and p !~ '^(node|deno|next|nuxt|vue|react|express|nest|three|d3|chart|ember|alpine|discord|socket\.io)\.js$' and not private.is_test_path(p));
$$;

-- The files of other people in folders where no other job of the product has changed anything. Says something only
-- once agents know parts of the repository: at first every folder is new to them.
create function private.first_time(p_job public.agent_jobs, p_files jsonb)
returns text[] language plpgsql stable set search_path = '' as $$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where f ->> 'status' <> 'added'
      and not exists (
        select from public.touched_paths x
        where x.product_id = p_job.product_id and x.job_id <> p_job.id and x.folder = regexp_replace(f ->> 'path', '[^/]*$', ''))
      and 10 = (
        select count(*)
        from (
          select from private.works w
          where w.product_id = p_job.product_id and w.was_handed_in and w.id <> p_job.id limit 10) w));
end;
$$;

-- Paths that a product's jobs have touched, for the mark first_time. Written with a diff; the first attempt stays.
create table public.touched_paths (
  product_id uuid not null references public.products (id) on delete cascade,
  path text not null constraint touched_paths_path_length check (char_length(path) <= 4096),
  job_id uuid not null,
  attempt integer not null,
  folder text not null generated always as (regexp_replace(path, '[^/]*$', '')) stored,
  constraint touched_paths_pkey primary key (product_id, path)
);
create index touched_paths_folder_idx on public.touched_paths (product_id, folder);
comment on table public.touched_paths is 'Paths that attempts of the product have touched (docs/review.md).';
alter table public.touched_paths enable row level security;
