-- What a task probably touches, from earlier changes with such words; which running work it would meet; and after its delivery what
-- it did touch. Nothing below eight known changes, nor where the newest files are as good a guess. For a page without what
-- it does not draw: costs, and meetings of work that has begun. Definer: access is checked first.
create function operations.get_task_forecast(p_task_id uuid, p_for_page boolean default false)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_access('task', p_task_id);
  v_forecast public.forecasts := private.forecast_of(p_task_id);
  v_costs jsonb := case when not p_for_page then private.estimate(v_product_id, array[p_task_id]) end;
  v_is_shown boolean := v_forecast.task_id is not null and not private.hides_forecasts(v_product_id);
begin
  return jsonb_build_object(
    'known_changes', coalesce(
      v_forecast.known_changes, (select x.known_changes from public.change_indexes x where x.id = private.index_of(p_task_id)), 0),
    'main_sha', v_forecast.main_sha,
    'touches', case when v_is_shown then v_forecast.touches else '[]' end,
    'meets', case when v_is_shown and not (p_for_page and exists (
      select from public.tasks t where t.id = p_task_id and t.status not in ('TO_DO', 'FAILED'))) then private.meets_of(v_forecast) else '[]' end)
    || case when p_for_page then '{}' else jsonb_build_object('estimate', (v_costs -> 'estimate') - '{held,held_of}'::text[],
      'ceiling', v_costs -> 'ceiling') end
    || case when v_is_shown and v_forecast.claimed_at is not null then private.forecast_result(v_forecast) else '{}' end;
end;
$$;
grant execute on function operations.get_task_forecast to authenticated;

-- The index of the repository that a task is done in.
create function private.index_of(p_task_id uuid)
returns uuid language plpgsql stable set search_path = '' as $$
begin
  return (
    select x.id from public.tasks t
    join public.products p on p.id = t.product_id
    join public.change_indexes x on x.product_id = p.id
      and x.repository = private.repository_name(coalesce(nullif(t.repo_url, ''), p.repo_url))
    where t.id = p_task_id);
end;
$$;

-- A task's forecast: the one that was kept, if it was made from this text and head or has been claimed; otherwise made now. Null below
-- eight changes.
create function private.forecast_of(p_task_id uuid)
returns public.forecasts language plpgsql stable set search_path = '' as $$
declare
  v_forecast public.forecasts;
  v_index public.change_indexes;
  v_title text;
  v_more text;
  v_digest text;
begin
  select f.* into v_forecast from public.forecasts f where f.task_id = p_task_id;
  if v_forecast.claimed_at is not null then
    return v_forecast;
  end if;
  select x.* into v_index from public.change_indexes x where x.id = private.index_of(p_task_id);
  if coalesce(v_index.known_changes, 0) < 8 then
    return null;
  end if;
  select t.title, concat_ws(' ', t.description, t.implementation_plan, s.acceptance_criteria)
  into v_title, v_more
  from public.tasks t join public.stories s on s.id = t.story_id where t.id = p_task_id;
  v_digest := md5(concat_ws(chr(1), v_index.id, v_index.head_sha, v_index.known_changes, v_title, v_more));
  if v_digest is distinct from v_forecast.digest then
    select p_task_id, v_index.id, v_digest, v_index.head_sha, v_index.known_changes, n.touches, n.ranked, n.recent, n.by_words, n.support
    into v_forecast.task_id, v_forecast.index_id, v_forecast.digest, v_forecast.main_sha, v_forecast.known_changes, v_forecast.touches,
      v_forecast.ranked, v_forecast.recent, v_forecast.by_words, v_forecast.support
    from private.likely_paths(v_index.id, v_title, v_more) n;
  end if;
  return v_forecast;
end;
$$;

-- Keeps a forecast by text and head, so that claims ask for it without making it again; with the time of a claim, for good.
create function private.keep_forecast(p_task_id uuid, p_claimed_at timestamptz default null)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_forecast public.forecasts := private.forecast_of(p_task_id);
begin
  insert into public.forecasts as f (task_id, index_id, digest, main_sha, known_changes, touches, ranked, recent, by_words, support, claimed_at)
  select v_forecast.task_id, v_forecast.index_id, v_forecast.digest, v_forecast.main_sha, v_forecast.known_changes, v_forecast.touches,
    v_forecast.ranked, v_forecast.recent, v_forecast.by_words, v_forecast.support, p_claimed_at
  where v_forecast.task_id is not null
  on conflict (task_id) do update
  set index_id = excluded.index_id, digest = excluded.digest, main_sha = excluded.main_sha, known_changes = excluded.known_changes,
      touches = excluded.touches, ranked = excluded.ranked, recent = excluded.recent, by_words = excluded.by_words,
      support = excluded.support, claimed_at = excluded.claimed_at
  where f.claimed_at is null and (f.digest <> excluded.digest or excluded.claimed_at is not null);
end;
$$;

-- The method. Files of the twenty most similar changes (BM25 over the words of titles), files whose path has the words, and what changed
-- lately, mixed by their places in these three lists. Files that the text names come first. A file is named when three similar changes
-- touched it; below that only the folder that three share. Large changes count less for each file. (docs/forecast.md)
create function private.likely_paths(
  p_index_id uuid, p_title text, p_more text, out touches jsonb, out ranked text[], out recent text[], out by_words text[], out support integer)
language plpgsql stable set search_path = '' as $$
declare
  v_title text[] := private.words_of(p_title);
  v_words text[];
  v_named text[] := private.named_paths(p_index_id, concat_ws(' ', p_title, p_more));
  v_similar jsonb;
  v_of integer;
  v_all integer;
  v_mean double precision;
begin
  v_words := v_title || array(select w from unnest(private.words_of(left(p_more, 2000))) w where w <> all (v_title));
  select count(*), greatest(avg(cardinality(c.words)), 1) into v_all, v_mean from public.known_changes c where c.index_id = p_index_id;
  with query as (
    select w as word, case when n <= cardinality(v_title) then 1.0 else 0.3 end as weight from unnest(v_words) with ordinality u (w, n)
  ),
  known as materialized (
    select c.sha, c.words, cardinality(c.words) / v_mean as length
    from public.known_changes c where c.index_id = p_index_id and c.words && v_words
  ),
  found as materialized (
    select k.sha, k.length, q.word, q.weight
    from known k cross join lateral unnest(k.words) u (w) join query q on q.word = u.w
  ),
  told as (
    select f.word, ln(1 + (v_all - count(*) + 0.5) / (count(*) + 0.5)) as idf from found f group by f.word
  )
  select jsonb_agg(jsonb_build_object('sha', x.sha, 'score', x.score) order by x.score desc)
  into v_similar
  from (
    select f.sha, sum(f.weight * t.idf / (1 + 1.2 * (0.25 + 0.75 * f.length))) as score
    from found f join told t using (word) group by f.sha order by score desc, f.sha limit 20
  ) x;
  v_of := coalesce(jsonb_array_length(v_similar), 0);

  by_words := array(
    with query as (
      select w as word, case when n <= cardinality(v_title) then 1.0 else 0.3 end as weight from unnest(v_words) with ordinality u (w, n)
    ),
    found as materialized (
      select k.path, cardinality(k.words) as length, q.word, q.weight
      from public.known_paths k cross join lateral unnest(k.words) u (w) join query q on q.word = u.w
      where k.index_id = p_index_id and k.words && v_words
    ),
    told as (select f.word, 1.0 / ln(2 + count(*)) as idf from found f group by f.word)
    select f.path from found f join told t using (word)
    group by f.path, f.length order by sum(f.weight * t.idf) / sqrt(2 + f.length) desc, f.path limit 50);
  recent := array(select k.path from public.known_paths k where k.index_id = p_index_id order by k.recent desc, k.path limit 50);

  with alike as (
    select c.paths, (s ->> 'score')::double precision as score, c.place, case when c.task_id is null then 1 else 2 end as weight
    from jsonb_array_elements(v_similar) s
    join public.known_changes c on c.index_id = p_index_id and c.sha = s ->> 'sha'
  ),
  touched as (
    select p as path, count(*) as times, sum(s.score * s.weight * exp(-s.place / 1000.0) / sqrt(cardinality(s.paths))) as score
    from alike s, unnest(s.paths) p group by p
  ),
  places as (
    (select t.path, row_number() over (order by t.score desc, t.path) as place, 1.2 as weight from touched t order by 2 limit 50)
    union all select w, n, 1.0 from unnest(by_words) with ordinality u (w, n)
    union all select w, n, 0.6 from unnest(recent) with ordinality u (w, n)
  ),
  mixed as (
    select m.path, m.score, coalesce(t.times, 0) as times, row_number() over (order by m.score desc, m.path) as place
    from (
      select p.path, sum(p.weight / (10 + p.place)) as score from places p group by p.path
    ) m left join touched t using (path)
    where m.path <> all (v_named)
    order by 4 limit 10
  ),
  files as (
    select w as path, n as place, null::bigint as times, 'named' as why from unnest(v_named) with ordinality u (w, n)
    union all (select m.path, 100 + m.place, m.times, 'similar' from mixed m where m.times >= 3)
    order by place limit 10
  ),
  folders as (
    select f.folder, f.up, (
      select count(*) from alike s where exists (select from unnest(s.paths) p where starts_with(p, f.folder))) as times
    from (
      select distinct array_to_string((string_to_array(m.path, '/'))[: cardinality(string_to_array(m.path, '/')) - u], '/') || '/' as folder, u as up
      from mixed m, generate_series(1, 6) u
      where m.times between 1 and 2 and cardinality(string_to_array(m.path, '/')) > u
    ) f
  ),
  folder as (
    select f.* from folders f where f.times >= 3 order by f.up, f.times desc, f.folder limit 1
  )
  select
    coalesce((
      select jsonb_agg(jsonb_build_object('path', x.path, 'is_folder', x.is_folder, 'in', x.times,
        'of', case when x.times is not null then v_of end, 'why', x.why) order by x.place)
      from (
        select f.path, false as is_folder, f.times, f.why, f.place from files f
        union all select f.folder, true, f.times, 'similar', 1000 from folder f where (select count(*) from files) < 5
      ) x), '[]'),
    v_named[:10] || array(select m.path from mixed m order by m.place limit greatest(10 - cardinality(v_named), 0)),
    coalesce((select m.times from mixed m where m.place = 1), 0)
  into touches, ranked, support;
  by_words := by_words[:10];
  recent := recent[:10];
end;
$$;

-- The files that a text names and that are known, by whole path or by an end of it that is only one file's. At most ten; of files
-- with one name 2,000 are looked at.
create function private.named_paths(p_index_id uuid, p_text text)
returns text[] language plpgsql stable set search_path = '' as $$
begin
  return array(
    select x.path
    from (
      select min(k.path) as path, strpos(lower(p_text), n.place) as at
      from unnest(private.named_places(p_text)) n (place)
      cross join lateral (
        select k.path from public.known_paths k
        where k.index_id = p_index_id and k.name = regexp_replace(n.place, '^.*/', '') limit 2000
      ) k
      where lower(k.path) = n.place or right(lower(k.path), length(n.place) + 1) = '/' || n.place
      group by n.place having count(*) = 1 or bool_or(lower(k.path) = n.place)
    ) x
    group by x.path order by min(x.at), x.path limit 10);
end;
$$;

-- The running tasks that probably touch the same files, or have begun to, without those that the task waits for.
create function private.meets_of(p_forecast public.forecasts)
returns jsonb language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('job_id', r.job_id, 'task', jsonb_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'paths', r.paths) order by cardinality(r.paths) desc, t.code)
    from (
      select w.job_id, w.task_id, array(
        select p from unnest(w.paths) p where p = any (private.told_files(p_forecast.touches)) order by p) as paths
      from private.running_paths(p_forecast.index_id) w
      where w.task_id <> p_forecast.task_id and not exists (
        select from public.task_dependencies d where d.blocked_id = p_forecast.task_id and d.blocker_id = w.task_id)
    ) r
    join public.tasks t on t.id = r.task_id
    where r.paths <> '{}'), '[]');
end;
$$;

-- The files of a forecast, without its folder.
create function private.told_files(p_touches jsonb)
returns text[] language sql immutable set search_path = '' as $$
  select array(select x ->> 'path' from jsonb_array_elements(p_touches) x where not (x ->> 'is_folder')::boolean);
$$;

-- What running work touches: that of single tasks with what it has begun to change, that of a batch by the task it is at.
create function private.running_paths(p_index_id uuid)
returns table (job_id uuid, task_id uuid, paths text[]) language plpgsql stable set search_path = '' as $$
begin
  return query
    select w.job_id, w.task_id, private.told_files(coalesce(f.touches, '[]'))
      || case when w.is_single then private.begun_paths(w.job_id, w.attempt, p_index_id) else '{}' end
    from (
      select j.id as job_id, j.attempt, coalesce(j.task_id, e.task_id) as task_id, j.task_id is not null as is_single
      from public.change_indexes x
      join public.agent_jobs j on j.product_id = x.product_id and j.status in ('CLAIMED', 'RUNNING') and j.phase <> 'verify'
      left join public.task_executions e on e.sprint_run_id = j.sprint_run_id and j.task_id is null and e.status = 'RUNNING'
      where x.id = p_index_id
    ) w
    left join public.forecasts f on f.task_id = w.task_id
    where w.task_id is not null and private.index_of(w.task_id) = p_index_id;
end;
$$;

-- What an attempt has changed or reports to edit, and what changes together with it.
create function private.begun_paths(p_job_id uuid, p_attempt integer, p_index_id uuid)
returns text[] language plpgsql stable set search_path = '' as $$
declare
  v_paths text[] := private.changed_paths(p_job_id) || array(
    select distinct o.path from public.job_outputs o
    where o.job_id = p_job_id and o.attempt = p_attempt and o.kind = 'edit' and o.path <> '');
begin
  return v_paths || case when v_paths <> '{}' then private.changed_together(p_index_id, v_paths) end;
end;
$$;

-- The three files that most often changed with these in the newest thousand: at least twice, and in a fifth of their changes.
create function private.changed_together(p_index_id uuid, p_paths text[])
returns text[] language sql stable set search_path = '' as $$
  with near as materialized (select c.paths from public.known_changes c where c.index_id = p_index_id and c.place < 1000 and c.paths && p_paths)
  select array(
    select p from near, unnest(near.paths) p where p <> all (p_paths)
    group by p having count(*) >= greatest(2, (select count(*) from near) / 5.0) order by count(*) desc, p limit 3);
$$;

-- How many of the changed files were named, once the work is delivered. Without a file named there is nothing to compare.
create function private.forecast_result(p_forecast public.forecasts)
returns jsonb language plpgsql stable set search_path = '' as $$
declare
  v_named text[] := private.told_files(p_forecast.touches);
  v_changed text[] := coalesce(p_forecast.changed, (
    select private.changed_paths(j.id) from public.agent_jobs j
    where j.task_id = p_forecast.task_id and (j.status = 'DONE' or j.phase = 'review') order by j.finished_at desc limit 1));
begin
  if coalesce(v_changed, '{}') = '{}' or v_named = '{}' then
    return '{}';
  end if;
  return jsonb_build_object('result', jsonb_build_object('named', cardinality(v_named), 'changed', cardinality(v_changed),
    'hit', (select count(*) from unnest(v_changed) c where c = any (v_named))));
end;
$$;

-- The claimed tasks of a product whose work is known, as one row a task and way to guess; without those whose text names files.
create function private.settled_forecasts(p_product_id uuid, p_since timestamptz)
returns table (settled_at timestamptz, method text, guessed text[], changed text[], support integer)
language plpgsql stable set search_path = '' as $$
begin
  return query
    select f.settled_at, m.method, m.guessed, f.changed, f.support
    from public.change_indexes x
    join public.forecasts f on f.index_id = x.id and f.settled_at > p_since and f.changed <> '{}'
      and not f.touches @> '[{"why": "named"}]'
    cross join lateral (values ('mixed', f.ranked), ('recent', f.recent), ('words', f.by_words)) m (method, guessed)
    where x.product_id = p_product_id;
end;
$$;

-- A forecast not better than the newest files is not worth the look: after fifty tasks it needs five points more,
-- among the five files that are in sight.
create function private.hides_forecasts(p_product_id uuid)
returns boolean language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(*) filter (where x.method = 'recent') >= 50
      and avg(x.hit) filter (where x.method = 'mixed') < avg(x.hit) filter (where x.method = 'recent') + 0.05
    from (
      select f.method, (f.guessed[:5] && f.changed)::integer as hit, row_number() over (partition by f.method order by f.settled_at desc) as n
      from private.settled_forecasts(p_product_id, '-infinity') f
    ) x
    where x.n <= 50);
end;
$$;

-- How good the forecasts of the last 180 days were next to two simple guesses, and how often a file was right by the number of similar
-- changes that touched it. Definer: access is checked first.
create function operations.get_forecast_quality(p_product_id uuid)
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  perform private.require_product_access(p_product_id);
  return json_build_object('hidden', private.hides_forecasts(p_product_id), 'methods', (
      select coalesce(json_agg(row_to_json(m) order by m.method), '[]')
      from (
        select f.method, count(*) as tasks, round(avg((f.guessed[:1] && f.changed)::integer), 3) as hit_1,
          round(avg((f.guessed[:5] && f.changed)::integer), 3) as hit_5, round(avg((f.guessed[:10] && f.changed)::integer), 3) as hit_10,
          round(avg((select count(*) from unnest(f.changed) c where c = any (f.guessed[:10]))::numeric / cardinality(f.changed)), 3) as recall_10
        from private.settled_forecasts(p_product_id, private.now() - interval '180 days') f group by f.method
      ) m),
    'support', (
      select coalesce(json_agg(row_to_json(s) order by s.support), '[]')
      from (
        select case when f.support >= 6 then '6+' when f.support >= 3 then '3-5' else '1-2' end as support, count(*) as tasks,
          round(avg((f.guessed[:1] && f.changed)::integer), 3) as hit_1
        from private.settled_forecasts(p_product_id, private.now() - interval '180 days') f
        where f.method = 'mixed' and f.support > 0 group by 1
      ) s));
end;
$$;
grant execute on function operations.get_forecast_quality to authenticated;
