-- What a task probably touches, from earlier changes with such words; which running work it would meet; and after its delivery what
-- it did touch. Nothing below eight known changes, nor where the newest files are as good a guess. For a page without what
-- it does not draw: costs, and meetings of work that has begun. Definer: access is checked first.
create function operations.get_task_forecast(p_task_id uuid, p_for_page boolean default false)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_product_id uuid := private.require_access('task', p_task_id);
  v_forecast public.forecasts := (select f from private.forecasts_of(array[p_task_id]) f);
  v_costs jsonb := case when not p_for_page then private.estimate(v_product_id, array[p_task_id]) end;
  v_is_shown boolean := v_forecast.task_id is not null and not private.hides_forecasts(v_product_id);
begin
  return jsonb_build_object(
    'known_changes', coalesce(
      v_forecast.known_changes, (select x.known_changes from public.change_indexes x where x.id = private.index_of(p_task_id)), 0),
    'main_sha', v_forecast.main_sha,
    'touches', case when v_is_shown then v_forecast.touches else '[]' end,
    'meets', case when v_is_shown and not (p_for_page and exists (
      select from public.tasks t where t.id = p_task_id and t.status not in ('TO_DO', 'FAILED'))) then (select m.meets from private.meets_of(array[v_forecast]) m) else '[]' end)
    || case when p_for_page then '{}' else jsonb_build_object('estimate', (v_costs -> 'estimate') - '{held,held_of}'::text[],
      'ceiling', v_costs -> 'ceiling') end
    || case when v_is_shown and v_forecast.claimed_at is not null then private.forecast_result(v_forecast) else '{}' end;
end;
$$;
grant execute on function operations.get_task_forecast to authenticated;

-- Which running work the first five of these tasks would meet, for the page that starts them, with one look at the index. Definer: access is
-- checked first.
create function operations.get_meets(p_product_id uuid, p_task_ids jsonb)
returns json language plpgsql stable security definer set search_path = '' as $$
declare
  v_task_ids uuid[] := (array(select x::uuid from jsonb_array_elements_text(p_task_ids) x))[:5];
begin
  perform private.require_product_access(p_product_id);
  perform private.require_one_product(v_task_ids, p_product_id);
  return coalesce((
    select json_object_agg(m.task_id, m.meets)
    from private.meets_of(array(select f from private.forecasts_of(v_task_ids) f)) m
    where not private.hides_forecasts(p_product_id)), '{}');
end;
$$;
grant execute on function operations.get_meets to authenticated;

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

-- Tasks' forecasts: those that were kept, if they were made from this text and head or have been claimed; the others are made now, with
-- one look at the index. None below eight changes.
create function private.forecasts_of(p_task_ids uuid[])
returns setof public.forecasts language plpgsql stable set search_path = '' as $$
begin
  return query
    with asked as materialized (
      select t.id, x.id as index_id, x.head_sha, x.known_changes, t.title, m.more, d.digest, f as kept,
        coalesce(f.claimed_at is not null or f.digest = d.digest, false) as holds
      from public.tasks t
      join public.stories s on s.id = t.story_id
      left join public.change_indexes x on x.id = private.index_of(t.id) and x.known_changes >= 8
      left join public.forecasts f on f.task_id = t.id
      cross join lateral (select concat_ws(' ', t.description, t.implementation_plan, s.acceptance_criteria) as more) m
      cross join lateral (select md5(concat_ws(chr(1), x.id, x.head_sha, x.known_changes, t.title, m.more)) as digest) d
      where t.id = any (p_task_ids)
    )
    select (a.kept).* from asked a where a.holds
    union all
    select a.id, a.index_id, a.digest, a.head_sha, a.known_changes, n.touches, n.ranked, n.recent, n.by_words, n.support, 0, null, null, null
    from (
      select o.index_id, array_agg(o.id order by o.id) as ids, array_agg(o.title order by o.id) as titles, array_agg(o.more order by o.id) as mores
      from asked o where o.index_id is not null and not o.holds group by o.index_id
    ) g
    cross join lateral private.likely_paths(g.index_id, g.titles, g.mores) n
    join asked a on a.id = g.ids[n.of_text];
end;
$$;

-- Keeps a forecast by text and head, so that claims ask for it without making it again; with the time of a claim, for good.
create function private.keep_forecast(p_task_id uuid, p_claimed_at timestamptz default null)
returns void language plpgsql volatile set search_path = '' as $$
declare
  v_forecast public.forecasts := (select f from private.forecasts_of(array[p_task_id]) f);
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

-- The method, for several texts with one look at the index. Files of the twenty most similar changes (BM25 over the words of titles), files
-- whose path has the words, and what changed lately, mixed by their places in these three lists. Files that the text names come first. A file is named
-- when three similar changes touched it; below that only the folder that three share. Large changes count less for each file. (docs/forecast.md)
create function private.likely_paths(p_index_id uuid, p_titles text[], p_mores text[])
returns table (of_text integer, touches jsonb, ranked text[], recent text[], by_words text[], support integer)
language plpgsql stable set search_path = '' set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_recent text[] := array(select k.path from public.known_paths k where k.index_id = p_index_id order by k.recent desc, k.path limit 50);
  v_similar jsonb[];
  v_by_words jsonb[];
  v_named text[];
  v_of integer;
  v_all integer;
  v_mean double precision;
begin
  select count(*), greatest(avg(cardinality(c.words)), 1) into v_all, v_mean from public.known_changes c where c.index_id = p_index_id;
  -- Rounded, so that the order in which numbers are added decides nothing.
  with query as materialized (select q.* from private.weighed_words(p_titles, p_mores) q),
  in_titles as materialized (
    select q.of_text, k.sha, k.length, q.word, q.weight
    from (
      select c.sha, cardinality(c.words) / v_mean as length, unnest(c.words) as word from public.known_changes c where c.index_id = p_index_id
    ) k join query q using (word)
  ),
  told as (
    select f.of_text, f.word, ln((1 + (v_all - count(*) + 0.5) / (count(*) + 0.5))::double precision) as idf from in_titles f group by f.of_text, f.word
  ),
  alike as materialized (
    select f.of_text, f.sha, round(sum(f.weight * t.idf / (1 + 1.2 * (0.25 + 0.75 * f.length))) * 1e9) / 1e9 as score
    from in_titles f join told t using (of_text, word) group by f.of_text, f.sha
  ),
  in_paths as materialized (
    select q.of_text, k.path, k.length, q.word, q.weight
    from (
      select p.path, cardinality(p.words) as length, unnest(p.words) as word from public.known_paths p where p.index_id = p_index_id
    ) k join query q using (word)
  ),
  rare as (select f.of_text, f.word, 1.0 / ln(2 + count(*)) as idf from in_paths f group by f.of_text, f.word),
  by_path as materialized (
    select f.of_text, f.path, round(sum(f.weight * t.idf) / sqrt(2 + f.length) * 1e9) as score
    from in_paths f join rare t using (of_text, word) group by f.of_text, f.path, f.length
  )
  select
    array(select (
      select jsonb_agg(x) from (
        select a.sha, a.score from alike a where a.of_text = n order by a.score desc, a.sha limit 20) x)
      from generate_subscripts(p_titles, 1) n),
    array(select (
      select jsonb_agg(x.path) from (
        select b.path from by_path b where b.of_text = n order by b.score desc, b.path limit 50) x)
      from generate_subscripts(p_titles, 1) n)
  into v_similar, v_by_words;

  for v_text in 1 .. cardinality(p_titles) loop
    v_named := private.named_paths(p_index_id, concat_ws(' ', p_titles[v_text], p_mores[v_text]));
    v_of := coalesce(jsonb_array_length(v_similar[v_text]), 0);
    by_words := array(select jsonb_array_elements_text(v_by_words[v_text]));
    with alike as (
      select c.paths, chr(1) || array_to_string(c.paths, chr(1)) as joined, (s ->> 'score')::double precision as score, c.place, case when c.task_id is null then 1 else 2 end as weight
      from jsonb_array_elements(v_similar[v_text]) s
      join public.known_changes c on c.index_id = p_index_id and c.sha = s ->> 'sha'
    ),
    touched as (
      select p as path, count(*) as times, sum(s.score * s.weight * exp(-s.place / 1000.0) / sqrt(cardinality(s.paths))) as score
      from alike s, unnest(s.paths) p group by p
    ),
    places as (
      (select t.path, row_number() over (order by round(t.score * 1e9) desc, t.path) as place, 1.2 as weight from touched t order by 2 limit 50)
      union all select w, n, 1.0 from unnest(by_words) with ordinality u (w, n)
      union all select w, n, 0.6 from unnest(v_recent) with ordinality u (w, n)
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
        select count(*) from alike s where strpos(s.joined, chr(1) || f.folder) > 0) as times
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
    of_text := v_text;
    recent := v_recent[:10];
    by_words := by_words[:10];
    return next;
  end loop;
end;
$$;

-- The words of titles, and at less weight those of what is written below them.
create function private.weighed_words(p_titles text[], p_mores text[])
returns table (of_text integer, word text, weight double precision) language sql immutable rows 100 set search_path = '' as $$
  with words as materialized (
    select n::integer as of_text, private.words_of(title) as title, private.words_of(left(more, 2000)) as more
    from unnest(p_titles, p_mores) with ordinality u (title, more, n)
  )
  select w.of_text, u, 1.0::double precision from words w, unnest(w.title) u
  union all select w.of_text, u, 0.3::double precision from words w, unnest(w.more) u where u <> all (w.title);
$$;

-- Known files that a text names, by path or an end that only one has. At most ten; of one name 2,000 are looked at.
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

-- For each forecast the running tasks that probably touch the same files, or have begun to, without those that its task waits for.
create function private.meets_of(p_forecasts public.forecasts[])
returns table (task_id uuid, meets jsonb) language sql stable set search_path = '' as $$
  with running as materialized (
    select i.index_id, w.* from (select distinct f.index_id from unnest(p_forecasts) f) i, private.running_paths(i.index_id) w
  )
  select f.task_id, coalesce((
    select jsonb_agg(jsonb_build_object('job_id', r.job_id, 'task', jsonb_build_object('id', t.id, 'code', t.code, 'title', t.title),
      'paths', r.paths) order by cardinality(r.paths) desc, t.code)
    from (
      select w.job_id, w.task_id, array(
        select p from unnest(w.paths) p where p = any (private.told_files(f.touches)) order by p) as paths
      from running w
      where w.index_id = f.index_id and w.task_id <> f.task_id and not exists (
        select from public.task_dependencies d where d.blocked_id = f.task_id and d.blocker_id = w.task_id)
    ) r
    join public.tasks t on t.id = r.task_id
    where r.paths <> '{}'), '[]')
  from unnest(p_forecasts) f;
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

-- A forecast is worth a look if, after fifty tasks, it has five points more than the newest files, among five files.
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
